package versions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
)

func TestUnsent_AWriteThatEqualsTheServicesTextReplacesWhatAnotherProgramWrote(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.outside("a.md", "two\n")
	w.sync()
	if c := w.write(alice, "/a.md", "one\n"); c.Number != 3 || w.file("a.md") != "one\n" {
		t.Errorf("%+v: %q", c, w.file("a.md"))
	}
	if got := w.pull(); got.Sent != 0 || w.file("a.md") != "one\n" {
		t.Errorf("%+v: %q", got, w.file("a.md"))
	}
	w.settled()
}

func TestUnsent_ARestoreCoversMemoriesThatTheServiceHasInThatState(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.write(alice, "/b.md", "one\n")
	w.write(alice, "/b.md", "two\n")
	w.outside("a.md", "two\n")
	w.outside("new.md", "new\n")
	w.sync()
	plan, err := w.store.PlanRestoreAt(t.Context(), Moment{Change: 2}, memfs.Root)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := w.store.Apply(t.Context(), alice, plan, nil); err != nil || c.Versions != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	if w.file("a.md") != "one\n" || w.file("b.md") != "one\n" || w.file("new.md") != "<none>" {
		t.Errorf("%q, %q, %q", w.file("a.md"), w.file("b.md"), w.file("new.md"))
	}
	w.settled()
}

func TestUnsent_AFolderIsDeletedWithMemoriesThatTheServiceNeverHad(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/d/a.md", "one\n")
	w.outside("d/new.md", "new\n")
	w.sync()
	if c, err := w.store.Delete(t.Context(), alice, mustPath("/d")); err != nil || c.Versions != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	if w.file("d/a.md") != "<none>" || w.file("d/new.md") != "<none>" {
		t.Errorf("%q, %q", w.file("d/a.md"), w.file("d/new.md"))
	}
	w.settled()
}

func TestUnsent_AFileThatIsRemovedAndWrittenAgainAsItWasIsSettled(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	if err := os.Remove(filepath.Join(w.folder, "a.md")); err != nil {
		t.Fatal(err)
	}
	w.sync()
	w.outside("a.md", "one\n")
	w.sync()
	w.pull()
	w.settled()
}

func TestUnsent_AFileThatIsChangedAndChangedBackIsSettled(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.outside("a.md", "two\n")
	w.sync()
	w.outside("a.md", "one\n")
	w.sync()
	w.pull()
	w.settled()
}

// settled checks that the service has what is here, and that nothing is left to send.
func (w *twin) settled() {
	w.t.Helper()
	w.pull(PullOptions{Full: true})
	there, err := w.up.s.Tree(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	here, err := w.store.Tree(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(here) != len(there) {
		w.t.Errorf("%d memories here, %d there", len(here), len(there))
	}
	for i := range min(len(here), len(there)) {
		if here[i].Path != there[i].Path || here[i].SHA256 != there[i].SHA256 || here[i].Memory != there[i].Memory {
			w.t.Errorf("here %s %s, there %s %s", here[i].Path, here[i].Memory, there[i].Path, there[i].Memory)
		}
	}
	if u, err := w.store.Unfinished(w.t.Context()); err != nil || u.Unsent > 0 {
		w.t.Errorf("%+v, %v", u, err)
	}
}
