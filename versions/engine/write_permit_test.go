package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/write"
)

func TestOnlyAPersonWritesControlFilesOfOtherTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one")
	w.write(alice, "g/config", "[core]\n\tfsmonitor = touch x\n")
	w.write(alice, "p/.git/config", "of a person")
	before := w.files()
	link := filepath.Join(w.folder, "link")
	if err := os.Symlink(filepath.Join("p", ".git"), link); err != nil {
		t.Fatal(err)
	}
	other := versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "k"}}
	for name, do := range map[string]func(versions.By) error{
		"write": func(by versions.By) error {
			_, err := w.store.Write(t.Context(), by, mustPath(".git/config"), []byte("x"), versions.Pre{})
			return err
		},
		"write in other case": func(by versions.By) error {
			_, err := w.store.Write(t.Context(), by, mustPath("d/.GIT/hooks/pre-commit"), []byte("x"), versions.Pre{})
			return err
		},
		"write through a link": func(by versions.By) error {
			_, err := w.store.Write(t.Context(), by, mustPath("link/hooks/x"), []byte("x"), versions.Pre{})
			return err
		},
		"edit": func(by versions.By) error {
			_, err := w.store.Write(t.Context(), by, mustPath("p/.git/config"), []byte("x"), versions.Pre{})
			return err
		},
		"rename a folder": func(by versions.By) error {
			_, err := w.store.Rename(t.Context(), by, mustPath("g"), mustPath(".git"))
			return err
		},
		"rename away": func(by versions.By) error {
			_, err := w.store.Rename(t.Context(), by, mustPath("p/.git"), mustPath("p/old"))
			return err
		},
		"move a file": func(by versions.By) error {
			_, err := w.store.Move(t.Context(), by, mustPath("p/.git"), mustPath("a.md"))
			return err
		},
		"delete": func(by versions.By) error {
			_, err := w.store.Delete(t.Context(), by, mustPath("a.md"), mustPath("p/.git"))
			return err
		},
		"delete a folder that holds some": func(by versions.By) error {
			_, err := w.store.Delete(t.Context(), by, mustPath("p"))
			return err
		},
		"rename a folder that holds some": func(by versions.By) error {
			_, err := w.store.Rename(t.Context(), by, mustPath("p"), mustPath("q"))
			return err
		},
		"write what a build runs": func(by versions.By) error {
			_, err := w.store.Write(t.Context(), by, mustPath("Makefile"), []byte("x"), versions.Pre{})
			return err
		},
		"create by the API": func(by versions.By) error {
			_, err := write.CreateMemory(t.Context(), w.store, by, mustPath(".envrc"), []byte("x"))
			return err
		},
		"import files": func(versions.By) error {
			_, err := exchange.ImportFiles(t.Context(), w.store, alice, []versions.NewFile{{Path: mustPath(".git/config"), Content: []byte("x")}}, true)
			return err
		},
	} {
		for _, by := range []versions.By{robot, other, {}, {Actor: alice.Actor, Door: versions.DoorMCP}} {
			if err := do(by); !errors.Is(err, memfs.ErrControlFile) {
				t.Errorf("%s by %v: %v", name, by.Actor, err)
			}
		}
	}
	res, _, err := w.store.Tool(t.Context(), robot, memfs.Create{Path: "/memories/.git/hooks/x", FileText: "#!/bin/sh"}, memfs.Options{})
	if err != nil || res.Text != "Error: Could not create /memories/.git/hooks/x: "+memfs.ErrControlFile.Error() || !res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
	res, _, err = w.store.Tool(t.Context(), robot, memfs.Delete{Path: "/memories/p"}, memfs.Options{})
	if err != nil || res.Text != "Error: Could not delete /memories/p: /memories/p/.git/config: "+memfs.ErrControlFile.Error() {
		t.Errorf("the refusal does not name the file: %+v, %v", res, err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if got := w.files(); len(got) != len(before) || got["p/.git/config"] != "of a person" {
		t.Errorf("the folder holds %v", got)
	}
	if _, err := w.store.Write(t.Context(), alice, mustPath(".git/config"), []byte("mine"), versions.Pre{}); err != nil {
		t.Errorf("a person: %v", err)
	}
}

func TestAnImportedHistoryHoldsNoControlFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	items := []versions.Item{{Content: []byte("x")}, {Record: &versions.Record{Number: 1, Kind: versions.KindCreate, By: alice, Time: w.trail.Now(),
		Versions: []versions.RecordVersion{{Operation: versions.Created, Path: mustPath("n/.git/config"), SHA256: versions.Sum([]byte("x"))}}}}}
	_, err := exchange.Import(t.Context(), w.store, alice, func(yield func(versions.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	})
	if !errors.Is(err, versions.ErrUnsound) || len(w.files()) > 0 {
		t.Errorf("%v; the folder holds %v", err, w.files())
	}
}

func TestAServiceWritesNoControlFiles(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	if _, err := w.up.s.Write(t.Context(), alice, mustPath("/.git/config"), []byte("x"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	w.there("/fine.md", "fine")
	got := w.pull(versions.PullOptions{Full: true})
	if len(got.Skipped) != 1 || got.Skipped[0].Path != "/.git/config" || !errors.Is(got.Skipped[0].Err, memfs.ErrControlFile) {
		t.Errorf("%+v", got)
	}
	if files := w.files(); len(files) != 1 || files["fine.md"] != "fine" {
		t.Errorf("the folder holds %v", files)
	}
}
