package diff

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

// after is a deadline that comes with the n-th look at the time.
func after(n int) func() bool {
	return func() bool { n--; return n < 0 }
}

func TestDiffWithin_IsTheSameAsWithoutADeadlineThatIsNotMet(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	for range 60 {
		old := hostileText(r, 40+r.Intn(200))
		new := edited(r, old, 1+r.Intn(30))
		want, got := Lines(old, new), LinesWithin(old, new, never)
		if got.Late || got.WordsLate > 0 || !reflect.DeepEqual(got.edits, want.edits) {
			t.Fatalf("%q and %q differ in %v, want %v", old, new, got.edits, want.edits)
		}
		for i := range want.Rows() {
			if l := want.Row(i); !reflect.DeepEqual(got.Words(l), want.Words(l)) {
				t.Fatalf("the words of %q are %v, want %v", l.Text, got.Words(l), want.Words(l))
			}
		}
	}
}

// Wherever the time is over, the rows are both texts, and it is told.
func TestDiffWithin_StopsLookingCloserWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	var old, new strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&old, "line %d\n", i/2)
		fmt.Fprintf(&new, "line %d\n", i/2^(i/7%2))
	}
	least := Lines([]byte(old.String()), []byte(new.String())).Removed
	late := 0
	for n := range 40 {
		d := LinesWithin([]byte(old.String()), []byte(new.String()), after(n))
		if o, n := rebuild(d); string(o) != old.String() || string(n) != new.String() {
			t.Fatal("rows do not rebuild the texts")
		}
		if d.Removed > least && !d.Late {
			t.Errorf("after %d looks %d lines are removed, and it does not say that the time was over", n, d.Removed)
		}
		if d.Late {
			if d.Removed > least {
				late++
			}
		}
	}
	if late < 3 {
		t.Errorf("too late to find everything %d times", late)
	}
}

func TestDiffWithin_ComparesTheWordsOfLongLinesWhileThereIsTime(t *testing.T) {
	t.Parallel()
	var old, new []byte
	for i := range 10 {
		old = fmt.Appendf(old, "keep %d\n%s old\n", i, strings.Repeat("word ", 100))
		new = fmt.Appendf(new, "keep %d\n%s new\n", i, strings.Repeat("word ", 100))
	}
	d := LinesWithin(old, new, never)
	whole := 0
	for n := range 200 {
		d := LinesWithin(old, new, after(n))
		if d.Late {
			continue
		}
		marked := 0
		for i := range d.Rows() {
			if len(d.Words(d.Row(i))) > 0 {
				marked++
			}
		}
		if marked != 2*(10-d.WordsLate) {
			t.Fatalf("of %d pairs without words %d lines have some", d.WordsLate, marked)
		}
		if d.WordsLate == 0 {
			whole++
		}
		l, r := d.Split(19)
		if p := d.Pieces(l, r); (len(p) == 2) != (d.WordsLate > 0) {
			t.Errorf("late %d, the last pair is %d pieces", d.WordsLate, len(p))
		}
	}
	if whole == 0 || d.WordsLate > 0 {
		t.Error("there is never time for all")
	}
}

// moved writes the moves as the lines from, to and how many, counted from 1.
func moved(d *Diff) string {
	var out []string
	for _, m := range d.Moves() {
		out = append(out, fmt.Sprintf("%d>%d*%d", m.Old+1, m.New+1, m.Lines))
	}
	return strings.Join(out, " ")
}

func TestMoves_AreBlocksThatStandElsewhere(t *testing.T) {
	t.Parallel()
	rest := strings.Repeat("x", 3) + "\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"a block", "a\nb\nc\n" + rest, rest + "a\nb\nc\n", "1>11*3"},
		{"two lines are too few", "a\nb\n" + rest, rest + "a\nb\n", ""},
		{"blank lines don't count", "a\n\n \nb\n" + rest, rest + "a\n\n \nb\n", ""},
		{"and belong to it", "a\n\nb\nc\n" + rest, rest + "a\n\nb\nc\n", "1>11*4"},
		{"a line in it that stands twice", "}\n" + rest + "a\n}\nb\nc\n", "}\na\n}\nb\nc\n" + rest, "12>2*4"},
		{"changed in the middle", "a\nb\nc\nd\ne\nf\ng\n" + rest, rest + "a\nb\nc\nD\ne\nf\ng\n", "1>11*3 5>15*3"},
		{"the last line loses its newline", "a\nb\nc\n" + rest, rest + "a\nb\nc", "1>11*3"},
		{"the same twice", "a\nb\nc\n" + rest, rest + "a\nb\nc\nq\na\nb\nc\n", ""},
		{"nothing", rest, rest, ""},
		{"all of it new", "", "a\nb\nc\n", ""},
	} {
		d := Lines([]byte(c.old), []byte(c.new))
		if got := moved(d); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMoves_AreNoneOfLinesThatNobodyMatched(t *testing.T) {
	t.Parallel()
	old, new := []byte("x\na\nb\nc\nd\ny\n"), []byte("X\na\nb\nc\nd\nY\n")
	if d := LinesWithin(old, new, after(0)); !d.Late || len(d.Moves()) > 0 {
		t.Errorf("late %v, %s", d.Late, moved(d))
	}
}

func TestMoves_AreNeverLinesThatDiffer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	found := 0
	for range 2000 {
		var lines []string
		for range 8 + r.Intn(30) {
			lines = append(lines, []string{"", " ", "a", "b"}[min(r.Intn(9), 3)]+fmt.Sprint(r.Intn(12))+"\n")
		}
		i, j, k := r.Intn(len(lines)), r.Intn(len(lines)), r.Intn(len(lines))
		i, j, k = min(i, j, k), max(min(i, j), min(max(i, j), k)), max(i, j, k)
		swapped := strings.Join(lines[:i], "") + strings.Join(lines[j:k], "") + strings.Join(lines[i:j], "") + strings.Join(lines[k:], "")
		d := Lines([]byte(strings.Join(lines, "")), []byte(swapped))
		oldEnd := 0
		seen := map[int]bool{}
		for _, m := range d.Moves() {
			found++
			if m.Old < oldEnd {
				t.Fatalf("line %d moved twice", m.Old)
			}
			oldEnd = m.Old + m.Lines
			for k := range m.Lines {
				if o, n := d.old.line(m.Old+k), d.new.line(m.New+k); !bytes.Equal(o, n) || seen[m.New+k] {
					t.Fatalf("%q became %q, twice %v", o, n, seen[m.New+k])
				}
				seen[m.New+k] = true
				if _, in := d.editOf(func(e Edit) int { return e.OldEnd() }, m.Old+k); !in {
					t.Fatal("a line that stays moved")
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("%d blocks moved", found)
	}
}

func BenchmarkMoves(b *testing.B) {
	var old, new strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&old, "line %d\n", i)
		fmt.Fprintf(&new, "line %d\n", (i+50_000)%100_000)
	}
	d := Lines([]byte(old.String()), []byte(new.String()))
	b.Run("diff", func(b *testing.B) {
		for b.Loop() {
			Lines([]byte(old.String()), []byte(new.String()))
		}
	})
	b.Run("moves", func(b *testing.B) {
		for b.Loop() {
			d.Moves()
		}
	})
}
