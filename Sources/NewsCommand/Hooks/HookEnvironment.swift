/// The environment of commands: they get nothing of the user's but what every program needs.
enum HookEnvironment {
  private static let kept = ["PATH", "HOME", "LANG", "TZ"]
  /// The folders of programs if PATH is not set.
  static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// Returns the variables of a command.
  ///
  /// - Parameters:
  ///   - own: The variables of this process.
  ///   - hook: The name of the hook.
  ///   - event: The token of the first event.
  ///   - store: The path of the store.
  ///   - configuration: The absolute path of the configuration; nil without a file.
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
