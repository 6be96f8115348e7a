package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// rebuild makes both texts from the rows of a diff.
func rebuild(d *Diff) (old, new []byte) {
	for i := range d.Rows() {
		l := d.Row(i)
		if l.Kind != Added {
			old = append(old, l.Text...)
		}
		if l.Kind != Removed {
			new = append(new, l.Text...)
		}
	}
	return old, new
}

// rebuildSplit does the same from the rows side by side.
func rebuildSplit(d *Diff) (old, new []byte) {
	for i := range d.splits {
		l, r := d.Split(i)
		old = append(old, l.Text...)
		new = append(new, r.Text...)
	}
	return old, new
}

// wellFormed checks every promise that holds for any pair of texts.
func wellFormed(t *testing.T, old, new []byte) *Diff {
	t.Helper()
	d := Lines(old, new)
	if o, n := rebuild(d); !bytes.Equal(o, old) || !bytes.Equal(n, new) {
		t.Fatalf("rows rebuild\n%q\n%q\ninstead of\n%q\n%q", o, n, old, new)
	}
	if o, n := rebuildSplit(d); !bytes.Equal(o, old) || !bytes.Equal(n, new) {
		t.Fatalf("rows side by side rebuild\n%q\n%q\ninstead of\n%q\n%q", o, n, old, new)
	}
	if d.Identical() != bytes.Equal(old, new) {
		t.Fatalf("Identical() = %v for %q and %q", d.Identical(), old, new)
	}
	added, removed, lastOld, lastNew := 0, 0, 0, 0
	for i := range d.Rows() {
		l := d.Row(i)
		switch l.Kind {
		case Added:
			added++
		case Removed:
			removed++
		case Same:
			if !bytes.Equal(l.Text, d.old.line(l.Old-1)) {
				t.Fatalf("row %d is called the same but differs", i)
			}
		}
		if l.Old != 0 && l.Old != lastOld+1 || l.New != 0 && l.New != lastNew+1 {
			t.Fatalf("row %d has line numbers %d, %d after %d, %d", i, l.Old, l.New, lastOld, lastNew)
		}
		lastOld, lastNew = max(lastOld, l.Old), max(lastNew, l.New)
		end := 0
		for _, s := range d.Words(l) {
			if s.Start < end || s.End <= s.Start || s.End > len(l.Text) {
				t.Fatalf("words %v of %q", d.Words(l), l.Text)
			}
			end = s.End
		}
	}
	if added != d.Added || removed != d.Removed {
		t.Fatalf("counted +%d -%d, told +%d -%d", added, removed, d.Added, d.Removed)
	}
	for _, e := range d.Edits() {
		wellFormedAround(t, d, e)
	}
	return d
}

// wellFormedAround checks that a hunk of one edit has its lines and no other edit's, and as many as its header says.
func wellFormedAround(t *testing.T, d *Diff, e Edit) {
	t.Helper()
	h := d.Around(e, 3)
	var count [3]int
	for i := range h.Rows {
		count[d.Row(h.Row+i).Kind]++
	}
	if count[Removed] != e.OldLines || count[Added] != e.NewLines || h.OldLines != count[Same]+e.OldLines || h.NewLines != count[Same]+e.NewLines {
		t.Fatalf("the hunk of %+v is %+v, with %v rows, in %q and %q", e, h, count, d.Old(), d.New())
	}
}

func FuzzDiffRebuildsBothSides(f *testing.F) {
	for _, p := range [][2]string{
		{"", ""}, {"", "a"}, {"a", ""}, {"a\n", "a"}, {"a\r\nb\r\n", "a\nb\n"},
		{"\xff\xfe\n\x00", "\xff\n\x00\n"}, {"\ufffd\n", "\xff\n"}, {"a\nb\nc\n", "c\nb\na\n"},
		{"a\n\na\n\na\n", "\na\n\n"}, {"x y z\n", "x  y\tz\n"},
	} {
		f.Add([]byte(p[0]), []byte(p[1]), uint8(3))
	}
	f.Fuzz(func(t *testing.T, old, new []byte, context uint8) {
		d := wellFormed(t, old, new)
		if got, err := applyUnified(old, d.Unified("a", "b", int(context))); err != nil || !bytes.Equal(got, new) {
			t.Fatalf("unified diff of %q and %q applies as %q (%v):\n%s", old, new, got, err, d.Unified("a", "b", int(context)))
		}
	})
}

// applyUnified is a strict reader of unified diffs, so that the fuzz test need
// not start a program at each input.
func applyUnified(old, patch []byte) ([]byte, error) {
	if len(patch) == 0 {
		return old, nil
	}
	src := splitLines(old)
	lines := splitLines(patch)
	at := 0 // lines of old used
	var out []byte
	for i := 2; i < lines.lines(); {
		var o, ol, n, nl int
		if err := parseHeader(string(lines.line(i)), &o, &ol, &n, &nl); err != nil {
			return nil, err
		}
		i++
		if ol > 0 {
			o--
		}
		for ; at < o; at++ {
			out = append(out, src.line(at)...)
		}
		if nl > 0 {
			n--
		}
		if got := splitLines(out).lines(); got != n {
			return nil, fmt.Errorf("hunk says new line %d, is at %d", n, got)
		}
		for ol > 0 || nl > 0 {
			l := lines.line(i)
			text := l[1:]
			if i+1 < lines.lines() && lines.line(i + 1)[0] == '\\' {
				text = bytes.TrimSuffix(text, []byte("\n"))
				i++
			}
			i++
			if l[0] != '+' {
				if !bytes.Equal(src.line(at), text) {
					return nil, fmt.Errorf("old line %d is %q, patch has %q", at, src.line(at), text)
				}
				at, ol = at+1, ol-1
			}
			if l[0] != '-' {
				out = append(out, text...)
				nl--
			}
		}
	}
	return append(out, old[src.start[at]:]...), nil
}

func parseHeader(s string, v ...*int) error {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "@@ -"), " @@\n")
	a, b, ok := strings.Cut(s, " +")
	if !ok {
		return fmt.Errorf("no hunk header: %q", s)
	}
	for i, part := range []string{a, b} {
		start, n, ok := strings.Cut(part, ",")
		if !ok {
			n = "1"
		}
		if _, err := fmt.Sscan(start+" "+n, v[2*i], v[2*i+1]); err != nil {
			return err
		}
	}
	return nil
}

// hostileText is lines that like to collide: few different ones, every kind of
// end, bytes that are no text.
func hostileText(r *rand.Rand, lines int) []byte {
	words := []string{"a", "b", "", "  ", "the end", "\t}", "\xff\xfe", "\x00", "\ufffd", "é", "中文", "a b c d e"}
	ends := []string{"\n", "\n", "\n", "\r\n", "\r", ""}
	var b []byte
	for range r.Intn(lines + 1) {
		b = append(b, words[r.Intn(len(words))]...)
		b = append(b, ends[r.Intn(len(ends))]...)
	}
	return b
}

// edited changes a text at a few places.
func edited(r *rand.Rand, text []byte, places int) []byte {
	out := bytes.Clone(text)
	for range places {
		i := r.Intn(len(out) + 1)
		j := min(len(out), i+r.Intn(12))
		out = append(out[:i:i], append(hostileText(r, 3), out[j:]...)...)
	}
	return out
}

func TestDiff_RebuildsHostileTexts(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	r := rand.New(rand.NewSource(seed))
	for range 3000 {
		old := hostileText(r, 40)
		new := edited(r, old, 1+r.Intn(5))
		if r.Intn(4) == 0 {
			new = hostileText(r, 40)
		}
		d := wellFormed(t, old, new)
		context := r.Intn(5)
		if got, err := applyUnified(old, d.Unified("a", "b", context)); err != nil || !bytes.Equal(got, new) {
			t.Fatalf("unified diff of %q and %q applies as %q (%v)", old, new, got, err)
		}
	}
}

func TestUnified_IsAppliedByGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git on this machine")
	}
	seed := testSeed(t)
	r := rand.New(rand.NewSource(seed))
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.txt")
	for i := range 25 {
		old := append(hostileText(r, 30), "x\n"...)
		new := append(edited(r, old, 3), 'y')
		patch := Lines(old, new).Unified("a/a b.txt", "b/a b.txt", 3)
		if err := os.WriteFile(file, old, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(git, "apply", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("case %d: git apply: %v\n%s\n%q", i, err, out, patch)
		}
		if got, _ := os.ReadFile(file); !bytes.Equal(got, new) {
			t.Fatalf("case %d: git apply made %q of %q, not %q", i, got, old, new)
		}
	}
}

func TestUnified_ReadsAsGitWritesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"nothing differs": {"a\n", "a\n", ""},
		"one line in the middle": {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		"a final newline goes": {"a\nb\n", "a\nb",
			"--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
		"created":     {"", "a\n", "--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n"},
		"emptied":     {"a\nb\n", "", "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-a\n-b\n"},
		"line ends":   {"a\r\n", "a\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\r\n+a\n"},
		"not a text":  {"\xff\n", "\ufffd\n", "--- a\n+++ b\n@@ -1 +1 @@\n-\xff\n+\ufffd\n"},
		"both no end": {"a", "b", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"},
	} {
		if got := string(Lines([]byte(c.old), []byte(c.new)).Unified("a", "b", 3)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestUnified_EndsANameThatHoldsABlankWithATab(t *testing.T) {
	t.Parallel()
	got := string(Lines(nil, []byte("x\n")).Unified("/dev/null", "b/my notes.md", 3))
	if want := "--- /dev/null\n+++ b/my notes.md\t\n@@ -0,0 +1 @@\n+x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCount_CountsLinesOfBothSides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new       string
		added, removed int
	}{
		{"", "", 0, 0},
		{"", "a\nb", 2, 0},
		{"a\nb", "", 0, 2},
		{"a\nb\nc\n", "a\nc\n", 0, 1},
		{"a\nb\nc\n", "a\nB\nc\n", 1, 1},
		{"a\n", "a", 1, 1},
		{"a\nb\n", "b\na\n", 1, 1},
		{"a\na\na\na\n", "a\na\n", 0, 2},
	} {
		if added, removed := Count([]byte(c.old), []byte(c.new)); added != c.added || removed != c.removed {
			t.Errorf("%q -> %q: +%d -%d, want +%d -%d", c.old, c.new, added, removed, c.added, c.removed)
		}
	}
}

func TestHunks_JoinWhenTheirContextTouches(t *testing.T) {
	t.Parallel()
	var old, new []string
	for i := range 40 {
		old = append(old, fmt.Sprintf("line %d\n", i))
		new = append(new, fmt.Sprintf("line %d\n", i))
	}
	new[10], new[16], new[30] = "ten\n", "sixteen\n", "thirty\n"
	d := Lines([]byte(strings.Join(old, "")), []byte(strings.Join(new, "")))
	for context, want := range map[int]int{0: 3, 2: 3, 3: 2, 7: 1} {
		hunks := d.Hunks(context)
		if len(hunks) != want {
			t.Errorf("context %d: %d hunks, want %d", context, len(hunks), want)
		}
		for _, h := range hunks {
			first, last := d.Row(h.Row), d.Row(h.Row+h.Rows-1)
			if first.Old != h.OldStart || context > 0 && (last.New != h.NewStart+h.NewLines-1 || last.Kind != Same) {
				t.Errorf("context %d: hunk %+v runs from %+v to %+v", context, h, first, last)
			}
			if l, _ := d.Split(h.Split); l.Old != h.OldStart {
				t.Errorf("context %d: hunk %+v begins side by side at %+v", context, h, l)
			}
		}
	}
}

func TestDiff_PutsAnAddedBlockWhereAReaderExpectsIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, block string }{
		"a section, with the blank line after it": {
			"# A\n\nfirst\n\n# C\n\nthird\n", "# A\n\nfirst\n\n# B\n\nsecond\n\n# C\n\nthird\n", "# B\n\nsecond\n\n"},
		"a function, from its head to its end": {
			"func a() {\n\tx()\n}\n\nfunc c() {\n\tz()\n}\n",
			"func a() {\n\tx()\n}\n\nfunc b() {\n\ty()\n}\n\nfunc c() {\n\tz()\n}\n",
			"func b() {\n\ty()\n}\n\n"},
		"a list item": {
			"- a\n  more\n- c\n  more\n", "- a\n  more\n- b\n  more\n- c\n  more\n", "- b\n  more\n"},
		"a block that begins as the next one does": {
			"begin\n  a\nend\nbegin\n  c\nend\n", "begin\n  a\nend\nbegin\n  b\nend\nbegin\n  c\nend\n", "begin\n  b\nend\n"},
		"at the end of the text": {"x\n\ny\n", "x\n\ny\n\nz\n", "\nz\n"},
	} {
		for _, turn := range []bool{false, true} {
			old, new := c.old, c.new
			if turn {
				old, new = new, old
			}
			d := wellFormed(t, []byte(old), []byte(new))
			var got string
			for i := range d.Rows() {
				if l := d.Row(i); l.Kind != Same {
					got += string(l.Text)
				}
			}
			if got != c.block {
				t.Errorf("%s (removed %v): block is %q, want %q", name, turn, got, c.block)
			}
		}
	}
}

func TestWords_MarkWhatChangedInAPairOfLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, marked string }{
		"one word":             {"meet on fri at noon\n", "meet on mon at noon\n", "meet on [fri] at noon\n|meet on [mon] at noon\n"},
		"words beside another": {"a b c d e f g h\n", "a x y d e f g h\n", "a [b c] d e f g h\n|a [x y] d e f g h\n"},
		"added at the end":     {"a b c\n", "a b c d\n", "a b c\n|a b c[ d]\n"},
		"too much":             {"one two three\n", "four five six\n", "one two three\n|four five six\n"},
		"bytes that are no text": {"k = \xff\xfe; same words here\n", "k = \xff\xfd; same words here\n",
			"k = \xff[\xfe]; same words here\n|k = \xff[\xfd]; same words here\n"},
		"characters without blanks": {"我喜欢红茶和咖啡\n", "我喜欢绿茶和咖啡\n", "我喜欢[红]茶和咖啡\n|我喜欢[绿]茶和咖啡\n"},
		"line end":                  {"same words here\r\n", "same words here\n", "same words here[\r]\n|same words here\n"},
	} {
		d := wellFormed(t, []byte(c.old), []byte(c.new))
		if got := marked(d, d.Row(0)) + "|" + marked(d, d.Row(1)); got != c.marked {
			t.Errorf("%s: %q, want %q", name, got, c.marked)
		}
	}
}

func marked(d *Diff, l Line) string {
	var b strings.Builder
	at := 0
	for _, s := range d.Words(l) {
		fmt.Fprintf(&b, "%s[%s]", l.Text[at:s.Start], l.Text[s.Start:s.End])
		at = s.End
	}
	b.Write(l.Text[at:])
	return b.String()
}

func TestWords_PairLinesInOrder(t *testing.T) {
	t.Parallel()
	d := Lines([]byte("keep\nalpha one here\nbeta two here\n"), []byte("keep\nalpha 1 here\nbeta 2 here\nnew line\n"))
	var got []string
	for i := range d.Rows() {
		got = append(got, marked(d, d.Row(i)))
	}
	want := []string{"keep\n", "alpha [one] here\n", "beta [two] here\n", "alpha [1] here\n", "beta [2] here\n", "new line\n"}
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A change anywhere in a line of any length is found, however far it is from another one.
func TestWords_FindEveryChangeOfAVeryLongLine(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 0; b.Len() < 8<<20; i++ {
		fmt.Fprintf(&b, "the word%d ", i)
	}
	line := b.String()
	half := strings.Index(line, "the word300000")
	old := "limit 500 " + line[:half] + "needs review " + line[half:] + "before deploy\n"
	new := "limit 50 " + line[:half] + line[half:] + "without deploy\n"
	d := Lines([]byte(old), []byte(new))
	if got := marked(d, d.Row(0)); !strings.HasPrefix(got, "limit [500] the") || strings.Count(got, "[") != 3 || !strings.Contains(got, "[needs review") || !strings.HasSuffix(got, "[before] deploy\n") {
		t.Errorf("the old line begins %.40q and ends %.40q", got, got[len(got)-40:])
	}
	if got := marked(d, d.Row(1)); !strings.HasPrefix(got, "limit [50] the") || !strings.HasSuffix(got, "[without] deploy\n") {
		t.Errorf("the new line begins %.40q and ends %.40q", got, got[len(got)-40:])
	}
	if n := len(d.Differences(d.Row(1))); n != 3 {
		t.Errorf("%d differences, want 3: one where only the old line has text", n)
	}
}

// Equal parts without end, as in a line of one word a million times, take no longer than others.
func TestWords_OfARepeatedTextAreFoundInTime(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"words in one line ", "x", "中文", "ab", "\x80"} {
		line := strings.Repeat(part, 4<<20/len(part))
		begin := time.Now()
		d := Lines([]byte("first "+line+"old\n"), []byte("1 "+line+"new\n"))
		if s := d.Differences(d.Row(0)); len(s) == 0 || s[0].Start != 0 || s[len(s)-1].End < len(line)+9 {
			t.Errorf("%q: the differences are %v", part, s)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%q took %v", part, took)
		}
	}
}

func TestDifferences_OfLinesThatHaveLittleInCommonAreTheirMiddle(t *testing.T) {
	t.Parallel()
	d := Lines([]byte("same: one two three é\n"), []byte("same: 1 2 3 4 5 6 7 è\n"))
	if w := d.Words(d.Row(0)); w != nil {
		t.Errorf("words are %v", w)
	}
	if got, want := d.Differences(d.Row(0)), []Span{{6, 22}}; !slices.Equal(got, want) {
		t.Errorf("differences are %v, want %v", got, want)
	}
}

func TestDiffLines_OfHugeTextsIsCoarseAndSaysSo(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("x\n", MaxLines)
	d := wellFormedCheap(t, "head\n"+lines+"old 1\nkept\nold 2\nend\n", "head\n"+lines+"new 1\nkept\nnew 2\nend\n")
	if !d.Coarse || d.Added != 3 || d.Removed != 3 {
		t.Errorf("coarse %v, +%d -%d, want one replacement of three lines", d.Coarse, d.Added, d.Removed)
	}
	if d := Lines([]byte("a\n"), []byte("b\n")); d.Coarse {
		t.Error("a small diff is called coarse")
	}
}

func wellFormedCheap(t *testing.T, old, new string) *Diff {
	t.Helper()
	d := Lines([]byte(old), []byte(new))
	if o, n := rebuild(d); string(o) != old || string(n) != new {
		t.Fatal("rows do not rebuild the texts")
	}
	return d
}

func TestDiffLines_FindsTwoEditsInALongTextOfRepeatedLines(t *testing.T) {
	t.Parallel()
	// No line is unique, so nothing is an anchor at first, and the gap is too
	// large to be given to go-diff.
	var old []string
	for i := range 30_000 {
		old = append(old, fmt.Sprintf("entry %d\n", i/2))
	}
	new := append([]string{}, old...)
	new[100], new[29_000] = "changed\n", "changed too\n"
	d := wellFormedCheap(t, strings.Join(old, ""), strings.Join(new, ""))
	if d.Added != 2 || d.Removed != 2 {
		t.Errorf("+%d -%d, want +2 -2", d.Added, d.Removed)
	}
}

func TestPieces_AreBothLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{"meet on friday at noon\n", "meet on monday at noon\n", "meet on [-friday-]{+monday+} at noon\n"},
		{"call Kim Lee now please thanks\n", "call Ada May now please thanks\n", "call [-Kim Lee-]{+Ada May+} now please thanks\n"},
		{"a b c d e f\n", "a c d e f\n", "a [-b -]c d e f\n"},
		{"a c d e f\n", "a b c d e f!\n", "a {+b +}c d e f{+!+}\n"},
	} {
		var got strings.Builder
		pieces, _ := inPieces([]byte(c.old), []byte(c.new))
		for _, p := range pieces {
			got.WriteString([]string{"", "[-", "{+"}[p.Kind] + string(p.Text) + []string{"", "-]", "+}"}[p.Kind])
		}
		if got.String() != c.want {
			t.Errorf("%q to %q is %q, want %q", c.old, c.new, got.String(), c.want)
		}
	}
	r := rand.New(rand.NewSource(testSeed(t)))
	words := []string{"a", "b", " ", "  ", "\t", "中", "é", "\xff", ",", "long"}
	for i := range 3030 {
		var sides [2][]byte
		if i >= 3000 { // long ones, of which little differs
			for range 1 + r.Intn(10_000) {
				sides[0] = append(sides[0], words[r.Intn(len(words))]...)
			}
			from, to := r.Intn(len(sides[0])), r.Intn(len(sides[0]))
			sides[1] = slices.Concat(sides[0][:from], []byte("x"), sides[0][min(from, to):])
		}
		for i := range sides {
			for range r.Intn(12) {
				sides[i] = append(sides[i], words[r.Intn(len(words))]...)
			}
		}
		var old, new []byte
		pieces, _ := inPieces(sides[0], sides[1])
		for _, p := range pieces {
			if p.Kind != Added {
				old = append(old, p.Text...)
			}
			if p.Kind != Removed {
				new = append(new, p.Text...)
			}
		}
		if !bytes.Equal(old, sides[0]) || !bytes.Equal(new, sides[1]) {
			t.Fatalf("the pieces of %q and %q are %q and %q", sides[0], sides[1], old, new)
		}
	}
}
