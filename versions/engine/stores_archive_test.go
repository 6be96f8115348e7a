package engine_test

import (
	"errors"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

func TestAnArchivedStoreIsReadOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one")
	w.write(alice, "a", "two")
	w.write(alice, "b", "three")
	id := w.store.Info().ID
	info, err := stores.Archive(t.Context(), w.trail, alice, id)
	if err != nil || info.Archived.IsZero() {
		t.Fatalf("%+v, %v", info, err)
	}
	if again, err := stores.Archive(t.Context(), w.trail, alice, id); err != nil || !again.Archived.Equal(info.Archived) {
		t.Errorf("archived again: %+v, %v", again, err)
	}
	for name, act := range map[string]func() error{
		"write": func() error {
			_, err := w.store.Write(t.Context(), alice, mustPath("a"), []byte("x"), versions.Pre{})
			return err
		},
		"create": func() error {
			_, err := w.store.Write(t.Context(), alice, mustPath("n"), []byte("x"), versions.Pre{})
			return err
		},
		"rename": func() error { _, err := w.store.Rename(t.Context(), alice, mustPath("a"), mustPath("c")); return err },
		"undo":   func() error { _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(2)); return err },
		"restore": func() error {
			_, err := plan.Do(t.Context(), w.store, alice, plan.Restore(w.versionOf("a", 1).ID))
			return err
		},
		"describe": func() error {
			text := "x"
			_, err := stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Description: &text})
			return err
		},
		"limit": func() error { return stores.SetLimits(t.Context(), w.trail, alice, id, versions.Limits{Bytes: 10}) },
	} {
		if err := act(); !errors.Is(err, versions.ErrArchived) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// An agent is told so by an answer: its session goes on.
	res, _, err := w.store.Tool(t.Context(), robot, memfs.Create{Path: "/memories/t", FileText: "x"}, memfs.Options{})
	if want := "Error: Could not create /memories/t: " + versions.ErrArchived.Error(); err != nil || !res.IsError || res.Text != want {
		t.Errorf("tool: %+v, %v", res, err)
	}
	w.wantFile("a", "two")
	if n, _ := w.store.LastChange(t.Context()); n != 3 {
		t.Errorf("%d changes", n)
	}
	w.outside("b", "written by another program")
	if w.sync(); w.versionOf("b", 2).Actor.Kind != versions.Outside {
		t.Error("what another program wrote is not recorded")
	}
	r := w.redact(versions.RedactTarget{Version: w.versionOf("a", 1).ID}, versions.RedactChoice{})
	if r.Versions != 1 {
		t.Errorf("receipt %+v", r)
	}
	if _, err := w.store.Delete(t.Context(), alice, mustPath("a")); err != nil {
		t.Errorf("delete: %v", err)
	}
}
