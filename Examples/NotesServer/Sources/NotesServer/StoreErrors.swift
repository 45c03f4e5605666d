import Hummingbird
import ManagedContext

/// Answers a request that the store refuses with the status that says why.
struct StoreErrors: RouterMiddleware {
  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as StoreError {
      throw HTTPError(Self.status(of: error), message: "\(error)")
    }
  }

  private static func status(of error: StoreError) -> HTTPResponse.Status {
    switch error {
    case .validation, .validations: .unprocessableContent
    case .conflict: .conflict
    case .notFound: .notFound
    case .busy, .unavailable: .serviceUnavailable
    default: .internalServerError
    }
  }
}
