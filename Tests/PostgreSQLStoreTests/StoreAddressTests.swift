import PostgreSQLStore
import Testing

@Suite struct StoreAddressTests {
  @Test(arguments: [
    ("postgresql:///news", "postgresql:///news"),
    ("postgres://reader@db.example/news", "postgres://reader@db.example/news"),
    ("postgresql://me:secret@db.example:5433/news", "postgresql://me@db.example:5433/news"),
    ("postgresql://me:se@cret@db.example/news", "postgresql://me@db.example/news"),
    (
      "postgresql://me:secret@a,b:5433/news?target_session_attrs=read-write",
      "postgresql://me@a,b:5433/news?target_session_attrs=read-write"
    ),
    ("postgresql://me:secret@", "postgresql://me@"),
    ("postgresql:///news?user=me&password=secret", "postgresql:///news?user=me"),
    ("postgresql:///news?password=secret&sslpassword=other", "postgresql:///news"),
    ("postgresql:///news?Password=secret&host=/tmp", "postgresql:///news?host=/tmp"),
    ("postgresql://?service=news", "postgresql://?service=news"),
    ("postgresql://", "postgresql://"),
  ])
  func `an address is shown without its password`(address: String, shown: String) throws {
    #expect(try #require(StoreAddress(address)).withoutPassword == shown)
  }

  @Test(arguments: ["", "news.db", "postgres", "postgresql:/news", "http://db.example", "./postgresql://"])
  func `another text is no address`(text: String) {
    #expect(StoreAddress(text) == nil)
  }
}
