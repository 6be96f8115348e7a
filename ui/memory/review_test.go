package memory

import (
	"context"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	vreview "github.com/memend/memend/versions/review"
)

// reviewed is a memory that others changed since it was reviewed.
type reviewed struct{ of vreview.Pending }

func (r reviewed) Pending(context.Context, versions.MemoryID, versions.Actor) (vreview.Pending, error) {
	return r.of, nil
}

func (r reviewed) History(context.Context, versions.MemoryID, int, int) ([]versions.Version, error) {
	return nil, nil
}

func (r reviewed) Unreviewed(p memfs.Path) (screen.Review, bool) {
	return screen.Review{Memory: r.of.Memory}, p == r.of.Now.Path
}

func (r reviewed) Changed() int { return 1 }

// newReview returns a pane that shows a memory of which the second line is to be reviewed.
func newReview(t *testing.T) *sim {
	f := newFake()
	f.write("a.md", "one\nTWO\nthree\n")
	f.versions[at("a.md")] = []versions.Version{{ID: "memver_2", Memory: "mem_1", Number: 2}}
	side := vreview.Side{Exists: true, Path: at("a.md"), Text: []byte("one\ntwo\nthree\n")}
	r := reviewed{vreview.Pending{Memory: "mem_1", Was: side, Now: side}}
	r.of.Now.Text = []byte(f.files[at("a.md")])
	s := newSim(t, f, 100, 12)
	s.pane.SetReviews(r, r, nil)
	s.open("a.md")
	return s
}

// Asking what is to be restored decides nothing: whoever changes their mind can still decide about the hunk.
func TestRestore_ThatIsOnlyAskedForKeepsTheHunkUndecided(t *testing.T) {
	s := newReview(t)
	s.keys("V R")
	if got := s.last().(screen.Choose); len(got.Options) != 3 || got.Options[1].Label != "all as you reviewed it" {
		t.Fatalf("it offers %+v", got.Options)
	}
	s.shows("TWO")
	s.titled("1 line selected")
	s.keys("esc .")
	if keep, ok := s.last().(deciding.Keep); !ok || len(keep.Parts) != 1 {
		t.Errorf("then the hunk is not kept, but it asks for %+v", s.last())
	}
}
