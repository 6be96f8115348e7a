package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// discovery holds the flags of stores discover.
type discovery struct {
	add   []string
	empty bool
}

func storesDiscoverCommand(p *program) *cobra.Command {
	var d discovery
	cmd := &cobra.Command{
		Use:         "discover [DIR...]",
		Annotations: map[string]string{changes: "add"},
		Short:       "Find folders in which other tools keep memories, and add them",
		RunE:        func(cmd *cobra.Command, args []string) error { return discoverFolders(&p.homeOpener, cmd, args, d) },
	}
	cmd.Flags().StringArrayVar(&d.add, "add", nil, "create stores in these: numbers of the list, a `FOLDER`, or all; may be repeated")
	cmd.Flags().BoolVar(&d.empty, "empty", false, "list folders without a memory too")
	return cmd
}

func discoverFolders(p *homeOpener, cmd *cobra.Command, dirs []string, d discovery) error {
	for _, dir := range dirs {
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			return &hinted{fmt.Errorf("no such folder: %s", dir), "name a project, or a folder that holds projects"}
		}
	}
	ctx := cmd.Context()
	t, err := p.openTrail(ctx)
	if err != nil && len(d.add) > 0 {
		return err
	}
	if err != nil { // discovery itself needs no trail
		fmt.Fprintf(p.err, "memend: can't tell which of them are stores: %s\n", text.Field(err.Error()))
		return discoverPlaces(ctx, &p.caller, nil, dirs, d)
	}
	return errors.Join(discoverPlaces(ctx, &p.caller, t, dirs, d), t.Close())
}

// discoverPlaces lists the folders found, and adds the chosen ones. The trail may be nil.
func discoverPlaces(ctx context.Context, p *caller, t *engine.Trail, dirs []string, d discovery) error {
	roots, err := places.Here(dirs...)
	if err != nil {
		reportSkippedFolder(&p.console, err)
	}
	found, err := findPlaces(ctx, t, roots)
	if err != nil {
		return err
	}
	for _, err := range found.Problems {
		reportSkippedFolder(&p.console, err)
	}
	if found.Cut {
		fmt.Fprintln(p.err, "memend: there are more folders than are searched; name the one that you mean")
	}
	if len(d.add) > 0 {
		chosen, err := choosePlaces(found.Places, d.add, d.empty, func(folder string) ([]places.Place, error) {
			roots.Dirs = []string{folder}
			found, err := findPlaces(ctx, t, roots)
			return found.Places, err
		})
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			fmt.Fprintln(p.err, "memend: no folder to add")
		}
		return addPlaces(ctx, p, t, chosen)
	}
	return listPlaces(ctx, p, t, found.Places, d.empty, roots.Home)
}

// Discover finds folders in which other tools keep memories, including those around the
// working directory.
func (h *homeStores) Discover(ctx context.Context) (places.Found, error) {
	if h.demo {
		return places.Found{Problems: []error{errDemo}}, nil
	}
	roots, err := places.Here()
	found, failed := findPlaces(ctx, h.Trail, roots)
	if err != nil {
		found.Problems = append(found.Problems, err)
	}
	return found, failed
}

// AddPlace creates a store for a discovered folder.
func (h *homeStores) AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error) {
	if err := h.Make(ctx); err != nil { // the first screen of a new home adds one after the other
		return versions.StoreInfo{}, err
	}
	return places.Add(ctx, h.Trail, h.by, p)
}

func reportSkippedFolder(p *console, err error) {
	fmt.Fprintf(p.err, "memend: skipped: %s\n", text.Field(err.Error()))
}

// findPlaces returns the places found, empty ones last: they are counted, but listed only
// with --empty. The trail may be nil.
func findPlaces(ctx context.Context, t *engine.Trail, roots places.Roots) (places.Found, error) {
	var all []versions.StoreInfo
	if t != nil {
		var err error
		if all, err = t.Stores(ctx); err != nil {
			return places.Found{}, err
		}
	}
	found, err := places.Discover(ctx, roots, all)
	if err != nil {
		return places.Found{}, err
	}
	slices.SortStableFunc(found.Places, func(a, b places.Place) int { return emptiness(a) - emptiness(b) })
	return found, nil
}

func emptiness(p places.Place) int {
	if p.IsEmpty() && !p.IsStore() {
		return 1
	}
	return 0
}

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

// choosePlaces returns the named places: by number, numbers (1,3 or 1-3), folder, or all that are
// not stores yet. Empty places are included in "all" only if they are listed. A folder that
// is not among all is looked for with search; numbers always refer to all.
func choosePlaces(all []places.Place, named []string, empty bool, search func(folder string) ([]places.Place, error)) (out []places.Place, err error) {
	for _, s := range named {
		some, err := placesNamed(all, s, empty, search)
		if err != nil {
			return nil, err
		}
		for _, x := range some {
			if !slices.ContainsFunc(out, func(y places.Place) bool { return y.Folder == x.Folder }) {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

func placesNamed(all []places.Place, s string, empty bool, search func(string) ([]places.Place, error)) ([]places.Place, error) {
	if s == "all" {
		return slices.DeleteFunc(slices.Clone(all), func(x places.Place) bool { return !x.CanBeAdded() || emptiness(x) > 0 && !empty }), nil
	}
	if from, to, ok := numbers(s); ok {
		if from < 1 || to > len(all) || from > to {
			return nil, misusef("memend stores discover", "no folder has the number %s; there are %d", s, len(all))
		}
		return all[from-1 : to], nil
	}
	fi, err := os.Stat(s)
	if err == nil && fi.IsDir() && search != nil {
		return placeAt(all, s, fi, search)
	}
	if list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' }); len(list) > 1 {
		return choosePlaces(all, list, empty, search)
	}
	return nil, misusef("memend stores discover", "%s is neither a number of the list, nor a folder, nor all", s)
}

// placeAt returns the places for a folder.
func placeAt(all []places.Place, s string, want os.FileInfo, search func(string) ([]places.Place, error)) ([]places.Place, error) {
	folder, err := filepath.Abs(s)
	if err != nil {
		return nil, err
	}
	found, err := search(folder)
	if err != nil {
		return nil, err
	}
	for _, x := range append(slices.Clone(all), found...) {
		if is, err := os.Stat(x.Folder); err == nil && os.SameFile(is, want) {
			return []places.Place{x}, nil
		}
	}
	return nil, &hinted{fmt.Errorf("%s: not a memory folder of a known tool", s), "`memend stores create NAME --folder DIR` creates a store in any folder"}
}

// numbers parses 3 and 3-5.
func numbers(s string) (from, to int, ok bool) {
	a, b, span := strings.Cut(s, "-")
	from, err := strconv.Atoi(a)
	if err != nil {
		return 0, 0, false
	}
	if !span {
		return from, from, true
	}
	to, err = strconv.Atoi(b)
	return from, to, err == nil
}

// addPlaces creates stores for places. It reports those that can't be added and goes on
// with the others.
func addPlaces(ctx context.Context, p *caller, t *engine.Trail, chosen []places.Place) error {
	var failed []error
	for _, x := range chosen {
		if x.IsStore() {
			fmt.Fprintf(p.err, "memend: %s is already store %s\n", text.Field(x.Folder), text.Field(x.Store.Name))
			continue
		}
		if err := t.Make(ctx); err != nil {
			return err
		}
		info, err := places.Add(ctx, t, p.by, x)
		if err == nil {
			reportStore(&p.console, info, "created store %s in %s"+pinnedNote(x.Pinned()), info.Name, info.Folder)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
