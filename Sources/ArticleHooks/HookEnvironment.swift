/// The environment for commands: from the user's environment they get only what every program needs.
enum HookEnvironment {
  private static let kept = ["PATH", "HOME", "LANG", "TZ"]
  /// The program folders if PATH is not set.
  static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// Returns a command's variables.
  ///
  /// - Parameters:
  ///   - own: This process's variables.
  ///   - hook: The hook's name.
  ///   - event: The first event's token.
  ///   - store: The store's path.
  ///   - configuration: The configuration's absolute path; nil without a file.
  static func variables(
    _ own: [String: String], hook: String, event: String, store: String, configuration: String?
  ) -> [String: String] {
    var variables = own.filter { kept.contains($0.key) || $0.key.hasPrefix("NEWSIMPORT_") }
    if variables["PATH"]?.isEmpty ?? true { variables["PATH"] = standardPath }
    variables["NEWSIMPORT_STORE"] = store
    if let configuration { variables["NEWSIMPORT_CONFIG"] = configuration }
    variables["NEWSIMPORT_HOOK"] = hook
    variables["NEWSIMPORT_EVENT"] = event
    return variables
  }
}
