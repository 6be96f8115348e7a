package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vhistory "github.com/memend/memend/versions/history"
)

// Check finds what contradicts an invariant, and names the memory, version, path or change as people
// see it.
func TestCheck_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ harm, says string }{
		"a missing change":                 {`UPDATE change SET number=9 WHERE number=2`, "change numbers have gaps: 4 changes, 4 rows, numbered 1 to 9"},
		"a change with a missing version":  {`UPDATE change SET versions=2 WHERE number=1`, "change 1: its number of versions is wrong"},
		"changes of the same time":         {`UPDATE change SET ts=(SELECT ts FROM change WHERE number=1) WHERE number=2`, "change 2: not later than the previous change"},
		"a memory with a missing version":  {`UPDATE version SET number=7 WHERE number=2 AND path='a'`, "memory MEMORY: version numbers have gaps"},
		"a memory without versions":        {`INSERT INTO memory(uid,store) SELECT x'000000000000000000000000000000',id FROM store WHERE name<>'second'`, "memory mem_aaaaaaaaaaaaaaaaaaaaaaaa: has no version"},
		"a version without content":        {`UPDATE version SET blob=NULL WHERE number=1 AND path='a'`, "version FIRST: its content is missing"},
		"a deletion with a content":        {`UPDATE version SET blob=(SELECT blob FROM version WHERE path='a') WHERE op='deleted'`, "version DELETION: its content is missing, or present for a deletion"},
		"a redacted version with its path": {`UPDATE version SET redacted=1, blob=NULL WHERE number=1 AND path='a'`, "version FIRST: redacted, but its content or path remains"},
		"a version without a path":         {`UPDATE version SET path=NULL WHERE number=1 AND path='a'`, "version FIRST: its path is missing"},
		"a redacted head":                  {`UPDATE version SET redacted=1, path=NULL, blob=NULL WHERE number=2 AND path='a'`, "head /memories/a: its version is redacted"},
		"a redaction that a service owes":  {`INSERT INTO redaction(store,actor,ts,versions,pending) SELECT id,1,1,1,-1 FROM store`, "redaction 1: not finished: the store's service"},
		"an old head":                      {`UPDATE head SET version=(SELECT id FROM version WHERE path='a' AND number=1) WHERE path='a'`, "memory MEMORY: its head is not its newest version"},
		"a head with another hash":         {`UPDATE head SET sha=zeroblob(length(sha)) WHERE path='a'`, "head /memories/a: its hash differs"},
		"a head with another id":           {`UPDATE head SET muid=x'01' WHERE path='a'`, "head /memories/a: its ids differ"},
		"a review state of another store":  {`INSERT INTO look(memory,store) SELECT memory,(SELECT id FROM store WHERE name='second') FROM version WHERE path='a' AND number=1`, "memory MEMORY: its review state belongs to another store"},
		"a content that belongs to nobody": {`INSERT INTO blob(sha,size,enc,data) VALUES(x'abcd',1,0,'x')`, "content abcd: belongs to no version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
			w.open()
			must(w, w.second().Close())
			w.write(alice, "a", "1")
			w.write(alice, "a", "2")
			w.write(alice, "b", "1")
			w.remove("b")
			w.flush()
			vs := w.history("a")
			deletion, _, err := vhistory.Versions(t.Context(), w.store, versions.VersionFilter{Operation: versions.Deleted}, "", 1)
			must(w, err)
			says := strings.NewReplacer("MEMORY", string(vs[0].Memory), "FIRST", string(vs[1].ID), "DELETION", string(deletion[0].ID)).Replace(c.says)
			w.harm(`PRAGMA foreign_keys=OFF; ` + c.harm)
			problems, err := check.Store(t.Context(), w.store)
			if text := strings.Join(problems, "\n"); err != nil || !strings.Contains(text, says) {
				t.Errorf("%v\n%s\nwant %s", err, text, says)
			}
			w.close()
		})
	}
}
