package diff

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

var mergeCount = flag.Int("merge.count", 4_000, "random inputs of the merge checks")

// sides puts the three texts of a merge together again.
func (m *Merged) sides() (base, ours, theirs []byte) {
	for _, r := range m.Regions {
		base, ours, theirs = append(base, r.Base...), append(ours, r.Ours...), append(theirs, r.Theirs...)
	}
	return base, ours, theirs
}

// mergesWell checks all that holds for any three texts.
func mergesWell(t *testing.T, base, x, y []byte) *Merged {
	t.Helper()
	for _, id := range []struct {
		name               string
		base, ours, theirs []byte
		want               []byte
	}{
		{"merge(b,b,x)=x", base, base, x, x},
		{"merge(b,x,b)=x", base, x, base, x},
		{"merge(b,x,x)=x", base, x, x, x},
	} {
		if m := Merge(id.base, id.ours, id.theirs); !m.Clean() || !bytes.Equal(m.Text(), id.want) {
			t.Fatalf("%s does not hold for b=%q x=%q: %q", id.name, id.base, id.want, m.Text())
		}
	}
	m, mirrored := Merge(base, x, y), Merge(base, y, x)
	if b, o, th := m.sides(); !bytes.Equal(b, base) || !bytes.Equal(o, x) || !bytes.Equal(th, y) {
		t.Fatalf("the regions of %q %q %q are not the texts: %+v", base, x, y, m.Regions)
	}
	if len(m.Regions) != len(mirrored.Regions) || m.Clean() && !bytes.Equal(m.Text(), mirrored.Text()) {
		t.Fatalf("merging %q %q %q depends on whose side is whose: %+v, %+v", base, x, y, m.Regions, mirrored.Regions)
	}
	for i, r := range m.Regions {
		s := mirrored.Regions[i]
		if (r.Kind == MergeConflict) != (s.Kind == MergeConflict) || !bytes.Equal(r.Ours, s.Theirs) || !bytes.Equal(r.Theirs, s.Ours) || !bytes.Equal(r.Base, s.Base) {
			t.Fatalf("region %d of %q %q %q depends on whose side is whose: %+v, %+v", i, base, x, y, r, s)
		}
		keeps := map[MergeKind]bool{MergeKept: bytes.Equal(r.Base, r.Ours) && bytes.Equal(r.Base, r.Theirs),
			MergeOurs: bytes.Equal(r.Base, r.Theirs), MergeTheirs: bytes.Equal(r.Base, r.Ours),
			MergeBoth: bytes.Equal(r.Ours, r.Theirs), MergeConflict: !bytes.Equal(r.Ours, r.Theirs)}
		if !keeps[r.Kind] {
			t.Fatalf("region %d of %q %q %q is not of its kind: %+v", i, base, x, y, r)
		}
	}
	if !m.Clean() && m.Text() != nil {
		t.Fatalf("a conflict of %q %q %q has a text", base, x, y)
	}
	return m
}

func TestMergeIdentitiesHoldForRandomTexts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(uint64(testSeed(t)), 1))
	lines := []string{"a\n", "b\n", "c\r\n", "d\n", "\n", "e\xff\n", "\r\n"}
	ends := []string{"", "", "e", "f\r", "\xfe"}
	text := func() []byte {
		var b []byte
		for range r.IntN(9) {
			b = append(b, lines[r.IntN(len(lines))]...)
		}
		return append(b, ends[r.IntN(len(ends))]...)
	}
	clean := 0
	for range *mergeCount {
		if mergesWell(t, text(), text(), text()).Clean() {
			clean++
		}
	}
	t.Logf("%d inputs, %d clean", *mergeCount, clean)
	if clean == 0 || clean == *mergeCount {
		t.Errorf("the inputs are all of one kind: %d of %d are clean", clean, *mergeCount)
	}
}

func TestDisjointEditsMergeAndBothAreThere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(uint64(testSeed(t)), 1))
	for range *mergeCount / 10 {
		var base []string
		for i := range 40 {
			base = append(base, fmt.Sprintf("line %d%s", i, []string{"\n", "\r\n"}[r.IntN(2)]))
		}
		edit := func(at, kind int, word string) []string {
			switch kind {
			case 0:
				return slices.Replace(slices.Clone(base), at, at+1, word+"\n")
			case 1:
				return slices.Insert(slices.Clone(base), at, word+"\n")
			}
			return slices.Delete(slices.Clone(base), at, at+1)
		}
		p, q := r.IntN(15), 20+r.IntN(15)
		x, y := r.IntN(3), r.IntN(3)
		join := func(s []string) []byte { return bytes.Join(asBytes(s), nil) }
		m := Merge(join(base), join(edit(p, x, "ours")), join(edit(q, y, "theirs")))
		// The later edit first, so that the place of the earlier stays where it is.
		want := slices.Clone(base)
		for _, e := range []struct {
			at, kind int
			word     string
		}{{q, y, "theirs\n"}, {p, x, "ours\n"}} {
			switch e.kind {
			case 0:
				want[e.at] = e.word
			case 1:
				want = slices.Insert(want, e.at, e.word)
			case 2:
				want = slices.Delete(want, e.at, e.at+1)
			}
		}
		if !m.Clean() || !bytes.Equal(m.Text(), join(want)) {
			t.Fatalf("edits %d at %d and %d at %d: %q", x, p, y, q, m.Marked(Labels{}))
		}
	}
}

func asBytes(s []string) (out [][]byte) {
	for _, l := range s {
		out = append(out, []byte(l))
	}
	return out
}

func TestMergesOfAFewTexts(t *testing.T) {
	t.Parallel()
	const five = "1\n2\n3\n4\n5\n"
	for _, c := range []struct {
		name, base, ours, theirs string
		want                     string // with markers when it conflicts
	}{
		{"edits apart", five, "1\nx\n3\n4\n5\n", "1\n2\n3\ny\n5\n", "1\nx\n3\ny\n5\n"},
		{"edits of neighbours conflict, as in git", five, "1\nx\n3\n4\n5\n", "1\n2\ny\n4\n5\n",
			"1\n<<<<<<< now\nx\n3\n||||||| base\n2\n3\n=======\n2\ny\n>>>>>>> then\n4\n5\n"},
		{"an insertion right after an edit conflicts, as in git", five, "1\nx\n3\n4\n5\n", "1\n2\ny\n3\n4\n5\n",
			"1\n<<<<<<< now\nx\n||||||| base\n2\n=======\n2\ny\n>>>>>>> then\n3\n4\n5\n"},
		{"the same insertion twice", five, "1\n2\nx\n3\n4\n5\n", "1\n2\nx\n3\n4\n5\n", "1\n2\nx\n3\n4\n5\n"},
		{"two insertions at one place", "1\n2\n", "1\na\n2\n", "1\nb\n2\n",
			"1\n<<<<<<< now\na\n||||||| base\n=======\nb\n>>>>>>> then\n2\n"},
		{"CRLF stays", "1\r\n2\r\n3\r\n", "x\r\n2\r\n3\r\n", "1\r\n2\r\ny\r\n", "x\r\n2\r\ny\r\n"},
		{"markers end as the lines do", "1\r\n", "x\r\n", "y\r\n",
			"<<<<<<< now\r\nx\r\n||||||| base\r\n1\r\n=======\r\ny\r\n>>>>>>> then\r\n"},
		{"a missing final newline is kept", "1\n2\n3", "x\n2\n3", "1\n2\n3", "x\n2\n3"},
		{"a final newline that one side added", "1\n2\n3", "x\n2\n3", "1\n2\n3\n", "x\n2\n3\n"},
		{"markers stand on lines of their own", "1", "x", "y",
			"<<<<<<< now\nx\n||||||| base\n1\n=======\ny\n>>>>>>> then\n"},
		{"deleted against edited", "1\n2\n", "1\n", "1\nx\n",
			"1\n<<<<<<< now\n||||||| base\n2\n=======\nx\n>>>>>>> then\n"},
		{"bytes that are no text conflict as a whole", "1\x00\n2\n3\n", "x\x00\n2\n3\n", "1\x00\n2\ny\n",
			"<<<<<<< now\nx\x00\n2\n3\n||||||| base\n1\x00\n2\n3\n=======\n1\x00\n2\ny\n>>>>>>> then\n"},
		{"invalid UTF-8 is text", "1\xff\n2\n3\n", "x\xfe\n2\n3\n", "1\xff\n2\ny\xfd\n", "x\xfe\n2\ny\xfd\n"},
	} {
		m := mergesWell(t, []byte(c.base), []byte(c.ours), []byte(c.theirs))
		if got := m.Marked(Labels{"now", "base", "then"}); string(got) != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, c.want)
		}
		if m.Clean() && string(m.Text()) != c.want {
			t.Errorf("%s: text %q", c.name, m.Text())
		}
	}
}

func TestMergeFavorsASideOnlyWhereTheyConflict(t *testing.T) {
	t.Parallel()
	m := Merge([]byte("1\n2\n3\n4\n5\n"), []byte("a\n2\n3\n4\no\n"), []byte("1\n2\nb\n4\nt\n"))
	if got := m.Favor(MergeOurs); string(got) != "a\n2\nb\n4\no\n" {
		t.Errorf("ours: %q", got)
	}
	if got := m.Favor(MergeTheirs); string(got) != "a\n2\nb\n4\nt\n" {
		t.Errorf("theirs: %q", got)
	}
}

func TestMergeOfTextsThatAreTooLargeIsAConflict(t *testing.T) {
	t.Parallel()
	base := bytes.Repeat([]byte("\n"), MaxLines+1)
	ours, theirs := append([]byte("x"), base...), append(slices.Clone(base), "y\n"...)
	m := Merge(base, ours, theirs)
	if m.Clean() || !m.TooLarge || len(m.Regions) != 1 {
		t.Errorf("clean %v, too large %v, %d regions", m.Clean(), m.TooLarge, len(m.Regions))
	}
	if m = Merge(base, base, theirs); !m.Clean() || !bytes.Equal(m.Text(), theirs) {
		t.Error("what one side alone changed needs no comparison")
	}
}

// TestMergeConflictsWhereGitDoes holds clean against clean with git's own merge,
// where git is there. The diffs of the two may differ, so texts are made whose
// lines all differ, where there is one shortest diff only.
func TestMergeConflictsWhereGitDoes(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	r := rand.New(rand.NewPCG(uint64(testSeed(t)), 1))
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	conflicts := 0
	for n := range 150 {
		var base []string
		for i := range 8 {
			base = append(base, fmt.Sprintf("line %d\n", i))
		}
		change := func(side string) []byte {
			s := slices.Clone(base)
			for k := range 1 + r.IntN(2) {
				at := r.IntN(len(s))
				word := fmt.Sprintf("%s %d\n", side, k)
				switch r.IntN(3) {
				case 0:
					s[at] = word
				case 1:
					s = slices.Insert(s, at, word)
				case 2:
					s = slices.Delete(s, at, at+1)
				}
			}
			return bytes.Join(asBytes(s), nil)
		}
		b, o, th := bytes.Join(asBytes(base), nil), change("ours"), change("theirs")
		cmd := exec.Command(git, "merge-file", "-p", write("ours", o), write("base", b), write("theirs", th))
		out, err := cmd.Output()
		exit, failed := err.(*exec.ExitError)
		if err != nil && (!failed || exit.ExitCode() > 127) {
			t.Fatal(err)
		}
		m := Merge(b, o, th)
		if m.Clean() != (err == nil) {
			t.Fatalf("input %d: ours is clean: %v, git's: %v\n%q\n%q\n%q", n, m.Clean(), err == nil, b, o, th)
		}
		if m.Clean() && !bytes.Equal(m.Text(), out) {
			t.Fatalf("input %d: ours %q, git's %q", n, m.Text(), out)
		}
		conflicts += m.Conflicts()
	}
	t.Logf("%d conflicts", conflicts)
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte("1\n2\n3\n"), []byte("x\n2\n3\n"), []byte("1\n2\ny"))
	f.Add([]byte("1\r\n"), []byte(""), []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, base, x, y []byte) {
		m := mergesWell(t, base, x, y)
		m.Marked(Labels{"ours", "base", "theirs"})
	})
}

// Without a base, what two texts share is one.
func TestMergesOfTwoTextsWithoutABase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, a, b, first, second, both string }{
		{"a line that differs", "1\na\n3\n", "1\nb\n3\n", "1\na\n3\n", "1\nb\n3\n", "1\na\nb\n3\n"},
		{"lines that one has", "0\n1\n2\n", "1\n2\n3\n", "0\n1\n2\n3\n", "0\n1\n2\n3\n", "0\n1\n2\n3\n"},
		{"nothing in common, no line ending", "a", "b", "a", "b", "a\nb"},
		{"CRLF", "1\r\na", "1\r\nb\r\n", "1\r\na", "1\r\nb\r\n", "1\r\na\r\nb\r\n"},
		{"an empty text", "", "a\n", "a\n", "a\n", "a\n"},
		{"the same text", "1\n2", "1\n2", "1\n2", "1\n2", "1\n2"},
	} {
		m := Merge(Common([]byte(c.a), []byte(c.b)), []byte(c.a), []byte(c.b))
		if first, second, both := string(m.Favor(MergeOurs)), string(m.Favor(MergeTheirs)), string(m.Both()); first != c.first || second != c.second || both != c.both {
			t.Errorf("%s: %q, %q, %q", c.name, first, second, both)
		}
	}
}
