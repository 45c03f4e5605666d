import Glibc
import LoopbackServer
import Testing

@testable import HTTPDownload

struct AddressPolicyTests {
  private func bytes(_ text: String) throws -> [UInt8] {
    let family = text.contains(":") ? AF_INET6 : AF_INET
    var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
    try #require(unsafe inet_pton(family, text, &bytes) == 1)
    return bytes
  }

  @Test(arguments: [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.8.8", "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255", "192.168.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
    "203.0.113.9", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::", "2001:db8::1", "2001::1", "fc00::1", "fd12::1",
    "fe80::1",
    "fec0::1", "ff02::1", "100::1",
  ])
  func `a private or special address is not public`(text: String) throws {
    #expect(!AddressPolicy.isPublic(try bytes(text)))
  }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1",
    "192.167.0.1",
    "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00::1", "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:0101:0101::", "2001:4860::8888",
  ])
  func `any other address is public`(text: String) throws {
    #expect(AddressPolicy.isPublic(try bytes(text)))
  }

  @Test func `an address of another length is not public`() {
    #expect(!AddressPolicy.isPublic([]))
    #expect(!AddressPolicy.isPublic([1, 1, 1]))
  }

  @Test(arguments: ["127.0.0.1", "localhost", "127.1"])
  func `a private address is refused without a connection`(
    host: String
  ) async throws {
    try await withServer { _ in
      .ok("secret")
    } _: { server in
      let downloader = try Downloader.make { $0.allowsPrivateAddresses = false }
      let record = await downloader.fetch(DownloadRequest(url: "http://\(host):\(server.port)/"))
      guard case .refusedAddress(let address) = record.error else {
        Issue.record("\(record.words)")
        return
      }
      #expect(address == "127.0.0.1" || address == "::1")
      #expect(server.connectionCount == 0)
    }
  }

  @Test(arguments: [301, 302, 307]) func `a redirect to a private address is refused`(status: Int)
    async throws
  {
    try await withServer { request in
      request.target == "/here"
        ? .ok("here") : .redirect(status, to: request.target == "/" ? "/here" : "http://127.0.0.2:1/secret")
    } _: { server in
      let downloader = try Downloader.make {
        $0.allowsPrivateAddresses = false
        $0.isPublic = { $0 == [127, 0, 0, 1] }
      }
      #expect(await downloader.fetch(DownloadRequest.patient(server.url("/"))).text == "here")
      let record = await downloader.fetch(DownloadRequest.patient(server.url("/away")))
      #expect(record.error == .refusedAddress("127.0.0.2"))
    }
  }
}
