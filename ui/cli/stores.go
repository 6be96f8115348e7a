package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

func storesCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "stores",
		Annotations: map[string]string{overview: "list, make"},
		Short:       "List the stores; find, create, connect, rename, archive, delete",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
				all, err := t.Stores(cmd.Context())
				if err != nil {
					return err
				}
				printStores(&p.console, all)
				return nil
			})
		},
	}
	cmd.AddCommand(storesCreateCommand(p), storesDiscoverCommand(p), storesMergeCommand(p), storesDescribeCommand(p), storesMoveCommand(p), storesArchiveCommand(p), storesDeleteCommand(p),
		storesConnectCommand(p), storesMirrorCommand(p), storesDisconnectCommand(p))
	return cmd
}

func printStores(p *console, all []versions.StoreInfo) {
	const (
		least, most   = 16, 40 // columns of a name
		minFolderCols = 40
	)
	width := min(max(widest(all, func(s versions.StoreInfo) string { return s.Name }), least), most)
	for _, s := range all {
		if p.json {
			p.emit(storeOf(s))
			continue
		}
		about := ""
		if !s.Archived.IsZero() {
			about = "  [archived]"
		}
		if s.LeftUpstream > 0 {
			about += fmt.Sprintf("  [its service has not erased %s]", plural(s.LeftUpstream, "redacted version"))
		}
		if !s.Files.All() {
			about += "  [" + p.safe(s.Files.String()) + "]"
		}
		if s.Description != "" {
			about += "  " + p.safe(s.Description)
		}
		columns := fmt.Sprintf("%s  %s  ", p.column(s.Name, width), when(s.LastUsed))
		p.printFitted("%s%s%s", columns, p.shortenPath(storeLocation(p, s), max(p.width()-text.Width(columns)-text.Width(about), minFolderCols)), about)
	}
	if len(all) == 0 && !p.json {
		fmt.Fprintln(p.err, "memend: no stores yet; `memend ./DIR` creates one in a folder, `memend stores discover` finds the memories of other tools")
	}
}

// recordDeleted records that the memories are no longer in the folder, and says how to
// restore them.
func recordDeleted(ctx context.Context, p *console, s *engine.Store) error {
	before, err := s.LastChange(ctx)
	if err != nil {
		return err
	}
	if _, err := s.Sync(ctx); err != nil {
		return err
	}
	cs, err := history.Changes(ctx, s, versions.Filter{}, 0, 1)
	if err == nil && len(cs) > 0 && cs[0].Number > before && !p.json {
		p.println("change %d: recorded %s as deleted; `memend undo -s %s %d` undoes it", cs[0].Number, plural(cs[0].Versions, "memory"), shellWord(s.Info().Name), cs[0].Number)
	}
	return err
}

func storesCreateCommand(p *program) *cobra.Command {
	var folder, description string
	var metadata, files []string
	cmd := &cobra.Command{
		Use:         "create NAME",
		Annotations: map[string]string{changes: always, creates: ""},
		Short:       "Create a store from an existing folder, or a new one in the home",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, aerr := metadataOf(metadata)
			names, nerr := namesOf(files)
			switch err := cmp.Or(aerr, versions.StoreUpdate{Metadata: about}.Check(), checkNewName(args[0], folder), nerr); {
			case err != nil:
				return &misuse{err, cmd.CommandPath()}
			case !names.All() && folder == "":
				return misusef(cmd.CommandPath(), "--files needs --folder: the folder that the files are in")
			}
			if folder != "" && !isDir(folder) {
				return fmt.Errorf("create store %s: %w", args[0], noFolder(folder))
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
				return createStore(cmd.Context(), &p.caller, t, versions.NewStore{Name: args[0], Description: description, Folder: folder, Files: names}, about)
			})
		},
	}
	cmd.Flags().StringArrayVar(&files, "files", nil, "a `PATTERN` of files in the folder, instead of all its files; may be repeated")
	cmd.Flags().StringVar(&folder, "folder", "", "the `DIR` that holds its memories")
	cmd.Flags().StringVar(&description, "description", "", "what it is for (`TEXT`)")
	cmd.Flags().StringArrayVar(&metadata, "metadata", nil, "a `KEY=VALUE` of its metadata; may be repeated")
	return cmd
}

// checkNewName returns why a new store may not have a name. A folder that is given as one gets the commands that make it a store.
func checkNewName(name, folder string) error {
	err := versions.CheckName(name)
	if err == nil || folder != "" || !isLocal(name) || !strings.ContainsAny(name, `/\`) && !strings.HasPrefix(name, ".") {
		return err
	}
	dir := shellWord(name)
	return &hinted{err, fmt.Sprintf("`memend %s` makes a folder a store, and so does `memend stores create NAME --folder %s`", dir, dir)}
}

// createStore creates a store, and adopts the files in its folder as its memories.
func createStore(ctx context.Context, p *caller, t *engine.Trail, made versions.NewStore, about map[string]*string) (err error) {
	if made.Pinned, err = pinnedFor(ctx, &p.console, made.Folder, made.Files); err != nil {
		return err
	}
	info, err := t.MakeStore(ctx, p.by, made)
	if err == nil && len(about) > 0 {
		info, err = stores.Update(ctx, t, p.by, info.ID, versions.StoreUpdate{Metadata: about})
	}
	if err == nil {
		err = withOpen(ctx, t, info, synced(ctx, &p.console, func(*engine.Store) error { return nil }))
	}
	if err != nil {
		return err
	}
	sizes, err := history.Sizes(ctx, t)
	with := ""
	if n := sizes[info.ID].Memories; n > 0 {
		with = ", with the " + plural(n, "memory") + " in it"
	}
	if info.Files.All() {
		reportStore(&p.console, info, "created store %s in %s"+with, info.Name, info.Folder)
	} else {
		reportStore(&p.console, info, "created store %s of %s in %s"+with+pinnedNote(made.Pinned), info.Name, info.Files, info.Folder)
	}
	return err
}

// pinnedNote says at a new store that agents can't write it.
func pinnedNote(whom versions.PinFor) string {
	if whom == "" {
		return ""
	}
	return fmt.Sprintf(", pinned for %s", whom)
}

// pinnedFor returns for whom a new store of these files of a folder is read-only: for agents if they obey the files in every
// project.
func pinnedFor(ctx context.Context, p *console, folder string, names memfs.Names) (versions.PinFor, error) {
	if names.All() {
		return "", nil
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	roots, err := places.Here()
	if err != nil {
		reportSkippedFolder(p, err)
	}
	if !places.InstructsEverywhere(ctx, roots, at, names) {
		return "", nil
	}
	return versions.PinAgents, nil
}

// namesOf parses the files of a store.
func namesOf(patterns []string) (memfs.Names, error) {
	names, err := memfs.ParseNames(patterns)
	if err != nil {
		return names, fmt.Errorf("--files: %w", err)
	}
	return names, nil
}

func storesMoveCommand(p *program) *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use:               "move STORE DIR",
		Annotations:       map[string]string{changes: always},
		Short:             "Set the new location of a store's folder",
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onStore(&p.homeOpener, cmd, args[0], func(t *engine.Trail, info versions.StoreInfo) (err error) {
				if deleted { // the memories are lost, and nothing needs to be there
					if err := os.MkdirAll(args[1], 0o700); err != nil {
						return fmt.Errorf("move store %s to %s: %w", info.Name, args[1], err)
					}
				} else if !isDir(args[1]) {
					return fmt.Errorf("move store %s: %w", info.Name, noFolder(args[1]))
				}
				if may, err := t.MayMoveStore(cmd.Context(), info.ID, args[1]); err != nil {
					return err
				} else if !may && !deleted {
					return &hinted{&refusal{fmt.Errorf("move store %s: %s holds none of its memories", info.Name, args[1])},
						"name the folder that contains them; --deleted records that all of them were deleted"}
				}
				if err := stores.MoveStore(cmd.Context(), t, p.by, info.ID, args[1]); err != nil {
					return err
				}
				if info, err = t.FindStore(cmd.Context(), string(info.ID)); err != nil {
					return err
				}
				if info, err = places.Follow(cmd.Context(), t, p.by, info); err != nil {
					return err
				}
				reportStore(&p.console, info, "store %s is now in %s", info.Name, info.Folder)
				if !deleted {
					return nil
				}
				return withOpen(cmd.Context(), t, info, func(s *engine.Store) error { return recordDeleted(cmd.Context(), &p.console, s) })
			})
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "accept a folder that contains none of the memories")
	return cmd
}

// onStore runs act for the store that ref names, without opening it.
func onStore(p *homeOpener, cmd *cobra.Command, ref string, act func(t *engine.Trail, info versions.StoreInfo) error) error {
	return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
		info, err := findStore(cmd.Context(), t, ref)
		if err != nil {
			return err
		}
		return act(t, info)
	})
}

func reportStore(p *console, info versions.StoreInfo, format string, names ...any) {
	for i, name := range names {
		names[i] = p.safe(fmt.Sprint(name))
	}
	p.answer(storeOf(info), format, names...)
}
