package diff

import (
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
	}
	if whole == 0 || d.WordsLate > 0 {
		t.Error("there is never time for all")
	}
}
