package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memtrail/memtrail/agent/places"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

// discovery is what stores discover is asked to do.
type discovery struct {
	add   []string
	empty bool
}

func (p *program) storesDiscoverCommand() *cobra.Command {
	var d discovery
	cmd := &cobra.Command{
		Use:   "discover [DIR...]",
		Short: "Find folders in which other tools keep memories, and add them",
		Long: `Find folders in which other tools keep what their agents remember: Claude Code's
auto memory and the memory of its agents, Serena's memories, memory banks, and
what Copilot remembers in VS Code. Looked at are the projects that Claude Code
and VS Code know, the folder you are in up to its repository's, and each DIR
with the folders in it. There is no walk through your home.

Nothing in a folder is changed by finding it, nor by adding it: a store is made
of it, its trail is kept in memtrail's home. On a terminal you are asked which
to add; elsewhere say --add.`,
		Example: `  memtrail stores discover
  memtrail stores discover ~/src
  memtrail stores discover --add 2 --add 4
  memtrail stores discover --add all
  memtrail stores discover --add ~/src/app/.serena/memories`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.discover(cmd, args, d) },
	}
	cmd.Flags().StringArrayVar(&d.add, "add", nil, "make stores of these: numbers of the list, a `FOLDER`, or all; may be repeated")
	cmd.Flags().BoolVar(&d.empty, "empty", false, "list folders without a memory too")
	return cmd
}

func (p *program) discover(cmd *cobra.Command, dirs []string, d discovery) error {
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
	if err != nil { // looking needs no trail
		fmt.Fprintf(p.err, "memtrail: which of them are stores is not known: %s\n", text.Field(err.Error()))
		return p.lookedAround(ctx, nil, dirs, d)
	}
	return errors.Join(p.lookedAround(ctx, t, dirs, d), t.Close())
}

// lookedAround lists what is found, and adds what was chosen. The trail may be nil.
func (p *program) lookedAround(ctx context.Context, t *versions.Trail, dirs []string, d discovery) error {
	roots, err := places.Here(dirs...)
	if err != nil {
		p.notLookedAt(err)
	}
	found, err := discovered(ctx, t, roots)
	if err != nil {
		return err
	}
	for _, err := range found.Problems {
		p.notLookedAt(err)
	}
	if found.Cut {
		fmt.Fprintln(p.err, "memtrail: there is more than is looked at; name the folder that you mean")
	}
	if len(d.add) > 0 {
		chosen, err := choose(found.Places, d.add, func(folder string) ([]places.Place, error) {
			roots.Dirs = []string{folder}
			there, err := discovered(ctx, t, roots)
			return there.Places, err
		})
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			fmt.Fprintln(p.err, "memtrail: there is no folder that could be added")
		}
		return p.addPlaces(ctx, t, chosen)
	}
	if p.json {
		for i, place := range found.Places {
			if err := p.emit(foundOf(i+1, place)); err != nil {
				return err
			}
		}
		return nil
	}
	return p.placesListed(ctx, t, found.Places, d.empty, roots.Home)
}

// Discover finds what other tools keep, around the working directory too.
func (h *homeStores) Discover(ctx context.Context) (places.Found, error) {
	roots, err := places.Here()
	found, failed := discovered(ctx, h.Trail, roots)
	if err != nil {
		found.Problems = append(found.Problems, err)
	}
	return found, failed
}

// AddPlace makes a store of what was found.
func (h *homeStores) AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error) {
	return places.Add(ctx, h.Trail, p)
}

func (p *program) notLookedAt(err error) {
	fmt.Fprintf(p.err, "memtrail: passed over: %s\n", text.Field(err.Error()))
}

// discovered are the places that are found, those without a memory last: they are
// counted, and rarely listed. The trail may be nil.
func discovered(ctx context.Context, t *versions.Trail, roots places.Roots) (places.Found, error) {
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

// placesListed lists places and, where somebody can answer, asks which to add.
func (p *program) placesListed(ctx context.Context, t *versions.Trail, all []places.Place, empty bool, home string) error {
	shown := all
	if !empty {
		shown = all[:countOf(all, func(x places.Place) bool { return emptiness(x) == 0 })]
	}
	width := 0
	for _, x := range shown {
		width = max(width, text.Width(text.Field(placeName(x))))
	}
	for i, x := range shown {
		p.println("%3d  %s  %12s  %7s  %s  %s%s", i+1, p.column(placeName(x), width), counted(x), size(x.Bytes), written(x), p.safe(shortFolder(home, x.Folder)), p.safe(standing(x)))
	}
	_ = p.out.Flush() // what is said of the list comes after it
	free := countOf(shown, places.Place.CanBeAdded)
	switch left := len(all) - len(shown); {
	case len(all) == 0:
		fmt.Fprintln(p.err, "memtrail: no other tool keeps memories here, as far as memtrail knows them; `memtrail stores discover DIR` looks in DIR too,\nand `memtrail stores create NAME --folder DIR` makes a store of any folder")
	case left > 0:
		fmt.Fprintf(p.err, "memtrail: %s no memory yet; --empty lists them too\n", draw.Plural(left, "folder holds", "folders hold"))
	}
	if free == 0 || t == nil {
		return nil
	}
	if !p.canAsk() {
		fmt.Fprintf(p.err, "memtrail: %s no store yet; --add makes stores of those that you name by number, or of all\n", draw.Plural(free, "is", "are"))
		return nil
	}
	chosen, err := choose(shown, strings.Fields(p.asked("Make stores of which? Numbers, or all; Enter for none: ")), nil)
	if err != nil {
		return err
	}
	return p.addPlaces(ctx, t, chosen)
}

func countOf(all []places.Place, is func(places.Place) bool) (n int) {
	for _, x := range all {
		if is(x) {
			n++
		}
	}
	return n
}

// placeName is what a store of the place is called, or would be.
func placeName(x places.Place) string {
	if x.IsStore() {
		return x.Store.Name
	}
	return x.Name()
}

func counted(x places.Place) string {
	if x.More {
		return fmt.Sprintf("over %d", x.Memories)
	}
	return memories(x.Memories)
}

func written(x places.Place) string {
	if x.Newest.IsZero() {
		return strings.Repeat(" ", len("2006-01-02 15:04"))
	}
	return when(x.Newest)
}

// shortFolder is a folder with ~ for the person's home.
func shortFolder(home, folder string) string {
	if rel, err := filepath.Rel(home, folder); home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return folder
}

// standing says what memtrail knows of the folder already.
func standing(x places.Place) string {
	switch {
	case x.IsStore() && !x.Store.Archived.IsZero():
		return "  [an archived store]"
	case x.IsStore():
		return "  [a store]"
	case !x.CanBeAdded():
		return "  [lies in store " + x.Within.Name + "]"
	}
	return ""
}

// foundJSON is a folder of another tool.
type foundJSON struct {
	Number   int        `json:"number"`
	Profile  string     `json:"profile"`
	Name     string     `json:"name"` // that its store has, or would have
	Folder   string     `json:"folder"`
	Project  string     `json:"project,omitempty"`
	Agent    string     `json:"agent,omitempty"`
	Shared   bool       `json:"shared,omitempty"`
	Local    bool       `json:"local,omitempty"`
	Memories int        `json:"memories"`
	Bytes    int64      `json:"content_size_bytes"`
	More     bool       `json:"more,omitempty"`
	Updated  *time.Time `json:"updated_at"`
	StoreID  string     `json:"memory_store_id,omitempty"`
	Within   string     `json:"in_memory_store_id,omitempty"`
}

func foundOf(n int, x places.Place) foundJSON {
	j := foundJSON{n, string(x.Kind), placeName(x), x.Folder, x.Project, x.Agent, x.Shared, x.Local, x.Memories, x.Bytes, x.More, nil, string(x.Store.ID), string(x.Within.ID)}
	if !x.Newest.IsZero() {
		j.Updated = &x.Newest
	}
	return j
}
