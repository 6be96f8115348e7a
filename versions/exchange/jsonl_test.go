package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

func TestAHistoryComesBackFromJSONAsItWas(t *testing.T) {
	t.Parallel()
	r := random(t)
	for range *grownRuns {
		a, b := newWorld(t), newWorld(t)
		a.grow(r, 100)
		a.say()
		a.redact()
		first := a.json()
		n := b.take(ReadJSON(bytes.NewReader(first)))
		once := map[string]bool{}
		for line := range strings.Lines(string(first)) {
			if strings.HasPrefix(line, `{"content_sha256"`) && once[line] {
				t.Fatalf("twice: %s", line)
			}
			once[line] = true
		}
		if !maps.Equal(a.tree(), b.tree()) || n.Memories != len(a.tree()) {
			t.Errorf("the tree is %v (%d), want %v", b.tree(), n.Memories, a.tree())
		}
		same(t, "the history", b.told(true), a.told(true))
		same(t, "the second export", string(b.json()), string(first))
		// It goes on as any other: undo, too, knows what stands.
		b.grow(r, 20)
	}
}

func TestAHistoryCanBeImportedIntoTheHomeItCameFrom(t *testing.T) {
	t.Parallel()
	a := newWorld(t)
	a.grow(random(t), 150)
	folder := t.TempDir()
	info, err := stores.CreateStore(t.Context(), a.trail, owner, "copy", "", folder)
	a.must(err)
	s, err := a.trail.OpenStore(t.Context(), info.ID)
	a.must(err)
	copied := &world{TB: t, home: a.home, folder: folder, trail: a.trail, s: s}
	defer s.Close()
	copied.take(ReadJSON(bytes.NewReader(a.json())))
	copied.whole()
	same(t, "the history", copied.told(false), a.told(false))
	lines := string(copied.json())
	if strings.Contains(lines, `"id":"`+string(firstVersion(a))) {
		t.Error("two stores share the id of a version")
	}
	if got, want := strings.Count(lines, "restored_from"), strings.Count(string(a.json()), "restored_from"); got != want || want == 0 {
		t.Errorf("%d versions know where they were restored from, want %d", got, want)
	}
}

func firstVersion(w *world) versions.VersionID {
	_, vs, err := history.Change(w.Context(), w.s, 1)
	w.must(err)
	return vs[0].ID
}

const header = `{"memend":"history","format":1}` + "\n"

const helloHash = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" // "hello\n"

const hello = `{"content_sha256":"` + helloHash + `","content":"hello\n"}` + "\n"

// one is a sound history of one change; its parts can be replaced.
func one(replace ...string) string {
	s := header + hello + `{"change":1,"kind":"create","path":"/a","created_by":{"type":"person","name":"ann"},"created_at":"2026-01-02T03:04:05.000006Z",` +
		`"memory_versions":[{"operation":"created","path":"/a","content_sha256":"` + helloHash + `"}]}` + "\n" + `{"end":true,"changes":1}` + "\n"
	return strings.NewReplacer(replace...).Replace(s)
}

func TestUnknownFieldsAndEmptyLinesAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.take(ReadJSON(strings.NewReader(one(`"kind"`, `"mood":{"new":[1]},"kind"`, "\n", "\r\n\n"))))
	if got := w.tree(); len(got) != 1 || got["/a"] != "hello\n" {
		t.Error(got)
	}
}

// An export of an earlier memend says nothing of commits; newlines at the end of a
// message are dropped.
func TestMessagesAreOptionalInJSON(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{``: ``, `"message":"one\n\ntwo\n\n","author_email":"a@b",`: `"message":"one\n\ntwo","author_email":"a@b",`} {
		w := newWorld(t)
		w.take(ReadJSON(strings.NewReader(one(`"kind"`, said+`"kind"`))))
		line := strings.Split(string(w.json()), "\n")[2]
		if got := strings.Contains(line, `"message"`) || strings.Contains(line, `"author_email"`); got != (want != "") || !strings.Contains(line, want) {
			t.Errorf("%s, want %s", line, want)
		}
	}
}

func TestAnUnsoundHistoryChangesNothingAndSaysWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // one for all: each leaves it as it was
	deleted := `{"change":2,"kind":"delete","path":"/b","created_by":{"type":"person"},"created_at":"2026-01-02T03:04:05Z","memory_versions":[{"operation":"deleted","path":"/b"}]}` + "\n"
	for name, c := range map[string]struct{ text, says string }{
		"empty":                    {"", "empty"},
		"another format":           {one(`"format":1`, `"format":2`), "line 1: not a sound history: unsupported format 2"},
		"no header":                {hello, "line 1: not a sound history: not a history of memend"},
		"no JSON":                  {one(`{"change"`, `"change"`), "line 3: "},
		"cut at a line":            {one(`{"end":true,"changes":1}`, ""), "line 5: not a sound history: the input is truncated"},
		"cut in a line":            {one()[:300], "line 3: "},
		"fewer changes than said":  {one(`"changes":1`, `"changes":2`), "the last line announces 2 changes, but there are 1"},
		"text after the end":       {one() + hello, "line 5: not a sound history: unexpected text after the last line"},
		"another line":             {one(hello, `{"hello":1}`+"\n"), "line 2: not a sound history: neither a change nor a content"},
		"content not of its hash":  {one(`hello\n`, `hullo\n`), "line 2: not a sound history: a content does not match its hash"},
		"content missing":          {one(hello, ""), "/memories/a: not a sound history: its content " + helloHash + " does not come before it"},
		"escaping path":            {one(`"path":"/a"`, `"path":"/../a"`), "line 3: not a sound history: path \"/../a\": would escape"},
		"escaping from":            {one(`"operation"`, `"from_path":"/%2e%2e/a","operation"`), "would escape"},
		"control in path":          {one(`"path":"/a"`, `"path":"/a\u001b[2J"`), "control character"},
		"root as memory":           {one(`"operation":"created","path":"/a"`, `"operation":"created","path":"/"`), "path, from or content are missing"},
		"NUL in a message":         {one(`"kind"`, `"message":"a\u0000b","kind"`), "change 1: not a sound history: its message has more than 65536 bytes, is not UTF-8 or holds NUL"},
		"long message":             {one(`"kind"`, `"message":"`+strings.Repeat("x", versions.MaxMessageBytes+1)+`","kind"`), "its message has more than"},
		"lines in an address":      {one(`"kind"`, `"author_email":"a\nb","kind"`), "its author's e-mail address has more than 1024 bytes, is not UTF-8 or holds control characters, < or >"},
		"address in an address":    {one(`"kind"`, `"author_email":"a>b","kind"`), "its author's e-mail address"},
		"long address":             {one(`"kind"`, `"author_email":"`+strings.Repeat("x", versions.MaxEmailBytes+1)+`","kind"`), "its author's e-mail address"},
		"unknown operation":        {one(`"operation":"created"`, `"operation":"burnt"`), `operation "burnt" can't be`},
		"modified before created":  {one(`"operation":"created"`, `"operation":"modified"`), "there is no memory /memories/a to be modified"},
		"deleted, not there":       {one(`{"end":true,"changes":1}`, deleted+`{"end":true,"changes":2}`), "change 2: /memories/b: not a sound history: there is no memory"},
		"numbers with a gap":       {one(`"change":1`, `"change":7`), "change 7 comes where 1 should"},
		"undoes the future":        {one(`"kind"`, `"undoes":1,"kind"`), "it undoes change 1, which is not before it"},
		"kind is a control":        {one(`"kind":"create"`, `"kind":"\u001b[2J"`), "is not a kind of change"},
		"kind of actor":            {one(`"type":"person"`, `"type":"god"`), "is not a kind of actor"},
		"concluded, not adopted":   {one(`"kind":"create"`, `"inferred":true,"kind":"create"`, `"type":"person"`, `"type":"agent"`), "its actor can't be inferred"},
		"concluded, and a person":  {one(`"kind":"create"`, `"inferred":true,"kind":"adopt"`), "its actor can't be inferred"},
		"id of another kind":       {one(`"operation"`, `"id":"mem_aaaaaaaaaaaaaaaaaaaaaaaa","operation"`), "is not the id of a version"},
		"memory id":                {one(`"operation"`, `"memory_id":"a b","operation"`), "is not the id of a memory"},
		"no time":                  {one(`"created_at"`, `"cremated_at"`), "line 3: not a sound history: a change without created_at"},
		"a time that can't be":     {one(`2026-01-02T03:04:05.000006Z`, `9999-01-02T03:04:05Z`), "year 9999"},
		"size that is wrong":       {one(`"operation"`, `"content_size_bytes":5,"operation"`), "has 6 bytes, not 5"},
		"redacted with content":    {one(`"operation"`, `"redacted_at":"2026-01-02T03:04:05Z","operation"`), "redacted, but it still says something"},
		"redacted at the end":      {one(`,"path":"/a","content_sha256":"`+helloHash+`"`, `,"redacted_at":"2026-01-02T03:04:05Z"`), "ends with a redacted version"},
		"deep JSON":                {one(`"kind"`, `"x":`+strings.Repeat("[", 1e6)+strings.Repeat("]", 1e6)+`,"kind"`), "line 3: not a sound history: "},
		"a number that is too big": {one(`"change":1`, `"change":1e999`), "line 3: not a sound history: "},
		"file and folder":          {one(`"}]}`, `"},{"operation":"created","path":"/a/b","content_sha256":"`+helloHash+`"}]}`), "/memories/a/b: the memory /memories/a is in the way"},
		"folder and file":          {one(`{"operation":"created","path":"/a"`, `{"operation":"created","path":"/a/b","content_sha256":"`+helloHash+`"},{"operation":"created","path":"/a"`), "/memories/a: the memory /memories/a/b is in the way"},
		"two at one path":          {one(`"}]}`, `"},{"operation":"created","path":"/a","content_sha256":"`+helloHash+`"}]}`), "/memories/a: the memory /memories/a is in the way"},
	} {
		t.Run(name, func(t *testing.T) {
			defer w.in(t)()
			_, err := Import(t.Context(), w.s, owner, ReadJSON(strings.NewReader(c.text)))
			if !errors.Is(err, versions.ErrUnsound) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v, want %q", err, c.says)
			}
			w.untouched()
		})
	}
}

// untouched holds that a store is as new.
func (w *world) untouched() {
	w.Helper()
	if n, err := w.s.LastChange(w.Context()); err != nil || n != 0 {
		w.Errorf("%d changes, %v", n, err)
	}
	if es, err := os.ReadDir(w.folder); err != nil || len(es) > 0 {
		w.Errorf("the folder holds %v, %v", es, err)
	}
	w.whole() // no content is left over, either
}

func TestAStoreWithAHistoryTakesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.take(ReadJSON(strings.NewReader(one())))
	if _, err := Import(t.Context(), w.s, owner, ReadJSON(strings.NewReader(one()))); !errors.Is(err, versions.ErrHasHistory) {
		t.Error(err)
	}
}

// A hash is no key to what another store of the same home holds.
func TestAHashAloneOpensNoContentOfAnotherStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.take(ReadJSON(strings.NewReader(one())))
	info, err := stores.CreateStore(t.Context(), w.trail, owner, "thief", "", t.TempDir())
	w.must(err)
	s, err := w.trail.OpenStore(t.Context(), info.ID)
	w.must(err)
	defer s.Close()
	if _, err := Import(t.Context(), s, owner, ReadJSON(strings.NewReader(one(hello, "")))); !errors.Is(err, versions.ErrUnsound) {
		t.Error(err)
	}
	if _, err := Import(t.Context(), s, owner, ReadJSON(strings.NewReader(one()))); err != nil {
		t.Error("with the content:", err)
	}
}

func TestTimesThatDoNotRiseAreMadeToAndTheClockIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(n, time string) string {
		return `{"change":` + n + `,"kind":"create","path":"/` + n + `","created_by":{"type":"person","name":"ann"},"created_at":"` + time + `",` +
			`"memory_versions":[{"operation":"created","path":"/` + n + `","content_sha256":"` + helloHash + `"}]}` + "\n"
	}
	w.take(ReadJSON(strings.NewReader(header + hello + at("1", "2026-01-01T00:00:00Z") + at("2", "2020-01-01T00:00:00Z") + at("3", "2026-01-01T00:00:00Z") + `{"end":true,"changes":3}`)))
	out := string(w.json())
	for _, want := range []string{`"created_at":"2026-01-01T00:00:00.000001Z","clock_at":"2020-01-01T00:00:00Z"`, `"created_at":"2026-01-01T00:00:00.000002Z","clock_at":"2026-01-01T00:00:00Z"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// A page of an export holds any one change, and a content that a change needs
// twice is there once.
func TestAChangeOfManyVersionsGoesOutWhole(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t), newWorld(t)
	var files []versions.NewFile
	for i := range 1200 {
		files = append(files, versions.NewFile{Path: at(fmt.Sprintf("d%d/f%d", i%7, i)), Content: fmt.Append(nil, i%300)})
	}
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}}
	_, err := ImportFiles(t.Context(), a.s, by, files, false)
	a.must(err)
	_, err = a.s.Delete(t.Context(), by, at("d3"))
	a.must(err)
	first := a.json()
	if n := bytes.Count(first, []byte("\n{\"content_sha256\"")); n != 300 {
		t.Errorf("%d contents", n)
	}
	b.take(ReadJSON(bytes.NewReader(first)))
	if !bytes.Equal(first, b.json()) || !maps.Equal(a.tree(), b.tree()) {
		t.Error("it came back otherwise")
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(one()))
	f.Add([]byte(header + hello))
	f.Fuzz(func(t *testing.T, b []byte) {
		var out bytes.Buffer
		j := NewJSONWriter(&out)
		for it, err := range ReadJSON(bytes.NewReader(b)) {
			if err != nil {
				return
			}
			if j.Write(it) != nil { // a year that no text can hold
				return
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		// What was read and written is read and written the same.
		var again bytes.Buffer
		k := NewJSONWriter(&again)
		for it, err := range ReadJSON(bytes.NewReader(out.Bytes())) {
			if err != nil {
				t.Fatalf("%v in %s", err, out.Bytes())
			}
			if err := k.Write(it); err != nil {
				t.Fatal(err)
			}
		}
		if k.Close() != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Fatalf("%s\nbecame\n%s", out.Bytes(), again.Bytes())
		}
	})
}
