package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions/engine"
)

// listPlaces lists places and, on a terminal, asks which to add.
func listPlaces(ctx context.Context, p *caller, t *engine.Trail, all []places.Place, empty bool, home string) error {
	shown := all
	if !empty {
		shown = all[:countOf(all, func(x places.Place) bool { return emptiness(x) == 0 })]
	}
	if p.json {
		for i, x := range shown {
			p.emit(foundJSON{i + 1, string(x.Kind), placeName(x), x.Folder, x.Files.Patterns(), x.Project, x.Gone, x.Agent, x.Shared, x.Local, x.Memories, x.Bytes, x.More, stamp(x.Newest),
				string(x.Store.ID), string(x.Within.ID), x.Unknown, x.Kind.Keep()})
		}
		return nil
	}
	width := widest(shown, placeName)
	for i, x := range shown {
		p.println("%3d  %s  %12s  %7s  %s  %s%s", i+1, p.column(placeName(x), width), memoryCount(x), units.Bytes(x.Bytes), lastWritten(x), p.safe(shortFolder(home, x.Folder)), p.safe(filesNote(x)+storeNote(x)))
	}
	_ = p.out.Flush() // before notes on standard error
	free := countOf(shown, places.Place.CanBeAdded)
	switch left := len(all) - len(shown); {
	case len(all) == 0:
		fmt.Fprintln(p.err, "memend: found no memories of other tools; `memend stores discover DIR` searches DIR too,\nand `memend stores create NAME --folder DIR` creates a store in any folder")
	case left > 0:
		fmt.Fprintf(p.err, "memend: %s no memory yet; --empty lists them too\n", draw.Plural(left, "folder contains", "folders contain"))
	}
	if free == 0 || t == nil {
		return nil
	}
	if !p.canAsk() {
		fmt.Fprintf(p.err, "memend: %s not added; add by number with --add 1, or all with --add all\n", draw.Plural(free, "folder is", "folders are"))
		return nil
	}
	chosen, err := choosePlaces(shown, strings.Fields(p.ask("Create stores in which? Numbers, or all; Enter for none: ")), empty, nil)
	if err != nil {
		return err
	}
	return addPlaces(ctx, p, t, chosen)
}

func countOf(all []places.Place, is func(places.Place) bool) (n int) {
	for _, x := range all {
		if is(x) {
			n++
		}
	}
	return n
}

// placeName returns the name of the place's store, existing or not.
func placeName(x places.Place) string {
	if x.IsStore() {
		return x.Store.Name
	}
	return x.Name()
}

func memoryCount(x places.Place) string {
	if x.More {
		return fmt.Sprintf("over %d", x.Memories)
	}
	return plural(x.Memories, "memory")
}

func lastWritten(x places.Place) string {
	if x.Newest.IsZero() {
		return strings.Repeat(" ", len("2006-01-02 15:04"))
	}
	return when(x.Newest)
}

// shortFolder replaces the person's home in a path with ~.
func shortFolder(home, folder string) string {
	if rel, err := filepath.Rel(home, folder); home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return folder
}

// filesNote says that only some files of the folder are memories.
func filesNote(x places.Place) string {
	if x.Files.All() {
		return ""
	}
	return "  [only " + x.Kind.String() + "]"
}

// storeNote returns what is particular about a folder: that its project is gone, the store that it is or lies in, or why it
// can't be added.
func storeNote(x places.Place) string {
	gone := ""
	if x.Gone {
		gone = "  [its project is gone]"
	}
	switch {
	case x.IsStore() && !x.Store.Archived.IsZero():
		return gone + "  [an archived store]"
	case x.IsStore():
		return gone + "  [a store]"
	case x.Within.ID != "":
		return gone + "  [in store " + x.Within.Name + "]"
	case x.Unknown != "":
		return gone + "  [read-only: " + x.Unknown + "]"
	}
	return gone
}

// foundJSON is a folder of another tool.
type foundJSON struct {
	Number   int      `json:"number"`
	Profile  string   `json:"profile"`
	Name     string   `json:"name"` // of its store, existing or not
	Folder   string   `json:"folder"`
	Files    []string `json:"named_files,omitempty"`
	Project  string   `json:"project,omitempty"`
	Gone     bool     `json:"project_gone,omitempty"`
	Agent    string   `json:"agent,omitempty"`
	Shared   bool     `json:"shared,omitempty"`
	Local    bool     `json:"local,omitempty"`
	Memories int      `json:"memories"`
	Bytes    int64    `json:"content_size_bytes"`
	More     bool     `json:"more,omitempty"`
	Updated  stamp    `json:"updated_at,omitzero"`
	StoreID  string   `json:"memory_store_id,omitempty"`
	Within   string   `json:"in_memory_store_id,omitempty"`
	Unknown  string   `json:"unknown_version,omitempty"` // why it can't be added
	Keep     string   `json:"careful,omitempty"`
}
