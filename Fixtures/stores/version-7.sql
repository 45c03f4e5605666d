PRAGMA application_id = 1313426768;
PRAGMA user_version = 7;
BEGIN TRANSACTION;
CREATE TABLE "article" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "feed_id" INTEGER NOT NULL REFERENCES "feed"(id), "guid" TEXT NOT NULL, "content_hash" INTEGER NOT NULL, "timeline" NUMERIC NOT NULL, "published" NUMERIC, "modified" NUMERIC, "imported" NUMERIC NOT NULL, "edits" INTEGER NOT NULL, "url" TEXT, "title" TEXT, "authors" TEXT, "tags" TEXT, "attachments" TEXT, "image" TEXT, "language" TEXT, "summary" TEXT, "content_html" TEXT);
INSERT INTO "article" VALUES(1,1,1,'u3',-5127209234666273162,1795390580,NULL,NULL,1795390580,0,'https://a.example/u3','Undated 3',NULL,NULL,NULL,NULL,NULL,NULL,'About Undated 3');
INSERT INTO "article" VALUES(2,1,1,'u2',2080729904133439625,1795390580,NULL,NULL,1795390580,0,'https://a.example/u2','Undated 2',NULL,NULL,NULL,NULL,NULL,NULL,'About Undated 2');
INSERT INTO "article" VALUES(3,1,1,'u1',3184816415514962683,1795390580,NULL,NULL,1795390580,0,'https://a.example/u1','Undated 1',NULL,NULL,NULL,NULL,NULL,NULL,'About Undated 1');
INSERT INTO "article" VALUES(4,1,2,'d3',2859517668486550086,1770112800,1770112800,NULL,1795390580,0,'https://a.example/d3','Dated 3',NULL,NULL,'[{"url":"https://a.example/1.mp3","mime_type":"audio/mpeg","size_in_bytes":1}]','https://a.example/t.png',NULL,NULL,'About Dated 3');
INSERT INTO "article" VALUES(5,1,2,'d2',-4303837048757610661,1770026400,1770026400,NULL,1795390580,0,'https://a.example/d2','Dated 2',NULL,NULL,'[{"url":"https://a.example/1.mp3","mime_type":"audio/mpeg","size_in_bytes":1}]','https://a.example/t.png',NULL,NULL,'About Dated 2');
INSERT INTO "article" VALUES(6,1,2,'d1',-3786341359331675891,1769940000,1769940000,NULL,1795390580,0,'https://a.example/d1','Dated 1',NULL,NULL,'[{"url":"https://a.example/1.mp3","mime_type":"audio/mpeg","size_in_bytes":1}]','https://a.example/t.png',NULL,NULL,'About Dated 1');
INSERT INTO "article" VALUES(7,1,2,'future',8339179764273169348,1795390580,3786948000,NULL,1795390580,0,'https://a.example/f','Future',NULL,NULL,NULL,NULL,NULL,NULL,'About Future');
CREATE TABLE "attachment" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "name" TEXT NOT NULL, "path" TEXT NOT NULL, "source" TEXT, "attached" NUMERIC NOT NULL);
CREATE TABLE "feed" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "url" TEXT NOT NULL, "title" TEXT, "home_page_url" TEXT, "etag" BLOB, "last_modified" BLOB, "body_hash" INTEGER, "moved_to" TEXT, "not_before" NUMERIC, "failures" INTEGER NOT NULL, "fetches" INTEGER NOT NULL, "last_fetch" NUMERIC, "last_outcome" TEXT, "last_status" INTEGER, "last_error" TEXT, "last_inserted" INTEGER NOT NULL, "last_edited" INTEGER NOT NULL, "gone" INTEGER NOT NULL, "next_fetch" NUMERIC, "next_reason" TEXT, "claimed_until" NUMERIC, "claim" INTEGER, "time_to_live" INTEGER, "update_interval" INTEGER, "update_base" NUMERIC, "skip_hours" INTEGER, "skip_days" INTEGER, "rhythm" INTEGER, "newest_article" NUMERIC, "moved_since" NUMERIC, "moved_good_fetches" INTEGER, "paused_url" TEXT, "validators_url" TEXT);
INSERT INTO "feed" VALUES(1,3,'http://127.0.0.1:9/undated','T',NULL,NULL,NULL,741505826027948658,NULL,NULL,0,1,1.79539058084291720395e+09,'updated',200,NULL,3,0,0,1.79547706641635489458e+09,'the server gives no validators: not more often than every 1 d',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "feed" VALUES(2,3,'http://127.0.0.1:9/dated','T',NULL,NULL,NULL,7078665287733270088,NULL,NULL,0,1,1.79539058084388256078e+09,'updated',200,NULL,4,0,0,1.79548455656796884533e+09,'it brings little: asked every 1 d all the same',NULL,NULL,NULL,NULL,NULL,NULL,NULL,86400,1770112800,NULL,NULL,NULL,NULL);
INSERT INTO "feed" VALUES(3,1,'http://127.0.0.1:1/never','My own title',NULL,NULL,NULL,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE "fetch" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "feed_id" INTEGER NOT NULL REFERENCES "feed"(id), "slot" INTEGER NOT NULL, "date" NUMERIC NOT NULL, "outcome" TEXT NOT NULL, "status" INTEGER, "error" TEXT, "inserted" INTEGER NOT NULL, "edited" INTEGER NOT NULL, "bytes" INTEGER NOT NULL, "first_byte_ms" INTEGER, "total_ms" INTEGER);
INSERT INTO "fetch" VALUES(1,1,1,0,1.79539058084291720395e+09,'updated',200,NULL,3,0,545,1,1);
INSERT INTO "fetch" VALUES(2,1,2,0,1.79539058084388256078e+09,'updated',200,NULL,4,0,1202,2,3);
CREATE TABLE "former_address" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "url" TEXT NOT NULL, "feed_id" INTEGER NOT NULL REFERENCES "feed"(id));
CREATE TABLE "membership" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "region_id" INTEGER NOT NULL REFERENCES "region"(id), "feed_id" INTEGER NOT NULL REFERENCES "feed"(id));
INSERT INTO "membership" VALUES(1,1,1,1);
INSERT INTO "membership" VALUES(2,1,1,2);
INSERT INTO "membership" VALUES(3,1,1,3);
CREATE TABLE persistent_history (token INTEGER PRIMARY KEY AUTOINCREMENT, date REAL NOT NULL, author TEXT, process INTEGER NOT NULL, changes BLOB NOT NULL);
INSERT INTO "persistent_history" VALUES(1,1.79539058076903438568e+09,NULL,-2220358724755868977,X'0106726567696F6E01010000046665656402010100000A6D656D626572736869700201010000');
INSERT INTO "persistent_history" VALUES(2,1.79539058082664799691e+09,NULL,-8805564299675645061,X'0104666565640002010102130D636C61696D65645F756E74696C1405636C61696D8080600200');
INSERT INTO "persistent_history" VALUES(3,1.79539058084531545633e+09,NULL,-8805564299675645061,X'010466656564000201010D01057469746C650509626F64795F686173680907666574636865730A0A6C6173745F66657463680B0C6C6173745F6F7574636F6D650C0B6C6173745F7374617475730E0D6C6173745F696E736572746564110A6E6578745F6665746368120B6E6578745F726561736F6E130D636C61696D65645F756E74696C1405636C61696D1A0672687974686D1B0E6E65776573745F61727469636C65A2BC7901A2BCF96001000761727469636C65070101010101010100000566657463680201010000');
INSERT INTO "persistent_history" VALUES(4,1.79539058089118957516e+09,NULL,-1882446230442525453,X'010466656564010300000A6D656D6265727368697001030000');
INSERT INTO "persistent_history" VALUES(5,1.79539058093358564372e+09,NULL,6681173819639843868,X'01047374617201010000');
CREATE TABLE "read_mark" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "article_id" INTEGER NOT NULL REFERENCES "article"(id));
CREATE TABLE "region" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "name" TEXT NOT NULL);
INSERT INTO "region" VALUES(1,1,'world');
CREATE TABLE "star" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "article_id" INTEGER NOT NULL REFERENCES "article"(id));
INSERT INTO "star" VALUES(1,1,1);
CREATE TABLE "told_failure" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "feed_id" INTEGER NOT NULL REFERENCES "feed"(id), "told" NUMERIC NOT NULL);
CREATE TABLE "tombstone" (id INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER NOT NULL, "feed_id" INTEGER NOT NULL REFERENCES "feed"(id), "guid_hash" INTEGER NOT NULL, "seen" NUMERIC NOT NULL);
CREATE UNIQUE INDEX "region_unique0" ON "region"("name");
CREATE UNIQUE INDEX "feed_unique0" ON "feed"("url");
CREATE UNIQUE INDEX "membership_unique0" ON "membership"("region_id", "feed_id");
CREATE INDEX "membership_index0" ON "membership"("feed_id");
CREATE UNIQUE INDEX "article_unique0" ON "article"("feed_id", "guid");
CREATE UNIQUE INDEX "fetch_unique0" ON "fetch"("feed_id", "slot");
CREATE UNIQUE INDEX "attachment_unique0" ON "attachment"("name");
CREATE UNIQUE INDEX "former_address_unique0" ON "former_address"("url");
CREATE INDEX "former_address_index0" ON "former_address"("feed_id");
CREATE UNIQUE INDEX "read_mark_unique0" ON "read_mark"("article_id");
CREATE UNIQUE INDEX "star_unique0" ON "star"("article_id");
CREATE UNIQUE INDEX "tombstone_unique0" ON "tombstone"("feed_id", "guid_hash");
CREATE UNIQUE INDEX "told_failure_unique0" ON "told_failure"("feed_id");
CREATE INDEX feed_address ON feed(CASE WHEN instr(url, '@') = 0 OR instr(substr(rtrim(substr(url, 1, 7 + min(instr(substr(url, 9) || '/', '/'), instr(substr(url, 9) || '?', '?'), instr(substr(url, 9) || '#', '#'))), replace(substr(url, 1, 7 + min(instr(substr(url, 9) || '/', '/'), instr(substr(url, 9) || '?', '?'), instr(substr(url, 9) || '#', '#'))), '@', '')), 8), ':') = 0 THEN url
ELSE substr(url, 1, 6 + instr(substr(rtrim(substr(url, 1, 7 + min(instr(substr(url, 9) || '/', '/'), instr(substr(url, 9) || '?', '?'), instr(substr(url, 9) || '#', '#'))), replace(substr(url, 1, 7 + min(instr(substr(url, 9) || '/', '/'), instr(substr(url, 9) || '?', '?'), instr(substr(url, 9) || '#', '#'))), '@', '')), 8), ':')) || '@' || substr(url, length(rtrim(substr(url, 1, 7 + min(instr(substr(url, 9) || '/', '/'), instr(substr(url, 9) || '?', '?'), instr(substr(url, 9) || '#', '#'))), replace(substr(url, 1, 7 + min(instr(substr(url, 9) || '/', '/'), instr(substr(url, 9) || '?', '?'), instr(substr(url, 9) || '#', '#'))), '@', ''))) + 1) END);
CREATE VIEW regions AS
SELECT r.id, r.name, (SELECT count(*) FROM membership m WHERE m.region_id = r.id) AS feeds
FROM region r;
CREATE VIEW feeds AS
SELECT f.id, CASE WHEN instr(f.url, '@') = 0 OR instr(substr(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', '')), 8), ':') = 0 THEN f.url
ELSE substr(f.url, 1, 6 + instr(substr(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', '')), 8), ':')) || '@' || substr(f.url, length(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', ''))) + 1) END AS url, f.title, f.home_page_url,
  CAST(f.etag AS TEXT) AS etag, CAST(f.last_modified AS TEXT) AS last_modified,
  strftime('%Y-%m-%dT%H:%M:%SZ', f.last_fetch, 'unixepoch') AS last_fetch, f.last_outcome, f.last_status, f.last_error, f.failures,
  strftime('%Y-%m-%dT%H:%M:%SZ', f.not_before, 'unixepoch') AS not_before, CASE WHEN instr(f.moved_to, '@') = 0 OR instr(substr(rtrim(substr(f.moved_to, 1, 7 + min(instr(substr(f.moved_to, 9) || '/', '/'), instr(substr(f.moved_to, 9) || '?', '?'), instr(substr(f.moved_to, 9) || '#', '#'))), replace(substr(f.moved_to, 1, 7 + min(instr(substr(f.moved_to, 9) || '/', '/'), instr(substr(f.moved_to, 9) || '?', '?'), instr(substr(f.moved_to, 9) || '#', '#'))), '@', '')), 8), ':') = 0 THEN f.moved_to
ELSE substr(f.moved_to, 1, 6 + instr(substr(rtrim(substr(f.moved_to, 1, 7 + min(instr(substr(f.moved_to, 9) || '/', '/'), instr(substr(f.moved_to, 9) || '?', '?'), instr(substr(f.moved_to, 9) || '#', '#'))), replace(substr(f.moved_to, 1, 7 + min(instr(substr(f.moved_to, 9) || '/', '/'), instr(substr(f.moved_to, 9) || '?', '?'), instr(substr(f.moved_to, 9) || '#', '#'))), '@', '')), 8), ':')) || '@' || substr(f.moved_to, length(rtrim(substr(f.moved_to, 1, 7 + min(instr(substr(f.moved_to, 9) || '/', '/'), instr(substr(f.moved_to, 9) || '?', '?'), instr(substr(f.moved_to, 9) || '#', '#'))), replace(substr(f.moved_to, 1, 7 + min(instr(substr(f.moved_to, 9) || '/', '/'), instr(substr(f.moved_to, 9) || '?', '?'), instr(substr(f.moved_to, 9) || '#', '#'))), '@', ''))) + 1) END AS moved_to, f.gone,
  (SELECT '[' || coalesce(group_concat('"' || replace(replace(r.name, '\', '\\'), '"', '\"') || '"'), '') || ']' FROM membership m JOIN region r ON r.id = m.region_id WHERE m.feed_id = f.id) AS regions,
  strftime('%Y-%m-%dT%H:%M:%SZ', f.next_fetch, 'unixepoch') AS next_fetch, f.next_reason
FROM feed f;
CREATE VIEW articles AS
SELECT a.id, a.feed_id, CASE WHEN instr(f.url, '@') = 0 OR instr(substr(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', '')), 8), ':') = 0 THEN f.url
ELSE substr(f.url, 1, 6 + instr(substr(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', '')), 8), ':')) || '@' || substr(f.url, length(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', ''))) + 1) END AS feed, a.guid, a.url, a.title, a.authors, a.tags,
  strftime('%Y-%m-%dT%H:%M:%SZ', a.published, 'unixepoch') AS published, strftime('%Y-%m-%dT%H:%M:%SZ', a.modified, 'unixepoch') AS modified, a.summary, a.content_html,
  a.attachments, a.image, a.language, strftime('%Y-%m-%dT%H:%M:%SZ', a.imported, 'unixepoch') AS imported, a.edits,
  EXISTS (SELECT 1 FROM read_mark m WHERE m.article_id = a.id) AS read,
  EXISTS (SELECT 1 FROM star s WHERE s.article_id = a.id) AS starred
FROM article a JOIN feed f ON f.id = a.feed_id;
CREATE VIEW fetches AS
SELECT l.id, l.feed_id, CASE WHEN instr(f.url, '@') = 0 OR instr(substr(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', '')), 8), ':') = 0 THEN f.url
ELSE substr(f.url, 1, 6 + instr(substr(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', '')), 8), ':')) || '@' || substr(f.url, length(rtrim(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), replace(substr(f.url, 1, 7 + min(instr(substr(f.url, 9) || '/', '/'), instr(substr(f.url, 9) || '?', '?'), instr(substr(f.url, 9) || '#', '#'))), '@', ''))) + 1) END AS feed, strftime('%Y-%m-%dT%H:%M:%SZ', l.date, 'unixepoch') AS date, l.outcome, l.status, l.error,
  l.inserted, l.edited, l.bytes, l.first_byte_ms, l.total_ms
FROM fetch l JOIN feed f ON f.id = l.feed_id;
CREATE INDEX "article_index0" ON "article"("timeline", "feed_id");
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('region',1);
INSERT INTO "sqlite_sequence" VALUES('feed',3);
INSERT INTO "sqlite_sequence" VALUES('membership',3);
INSERT INTO "sqlite_sequence" VALUES('persistent_history',5);
INSERT INTO "sqlite_sequence" VALUES('fetch',2);
INSERT INTO "sqlite_sequence" VALUES('article',7);
INSERT INTO "sqlite_sequence" VALUES('star',1);
COMMIT;
