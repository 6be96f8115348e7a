package cli

import (
	"context"
	"time"

	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

// redaction is what the command line of redact says.
type redaction struct {
	memory, match string
	replace, mask string
	remove        bool
	shared, all   bool
	dryRun, yes   bool
	list          bool

	target versions.RedactTarget
	choice versions.RedactChoice
}

// readerWait is how long a redaction waits for others who read the trail.
const readerWait = 2 * time.Second

func (p *program) redactCommand() *cobra.Command {
	var r redaction
	cmd := &cobra.Command{
		Use:   "redact [VERSION]",
		Short: "Erase what versions held, and prove that it is gone",
		Long: `Erase what versions held: their text, path, size and hash. That they were, who
made them and when stays in the history. Nothing brings the text back.

Name one version, or with --memory all past versions of a memory, or with
--match every version whose text or path holds a text. Write --match - and the
text is read from standard input, so that it gets into no shell history. A
memory that holds it as it stands is only touched when you say how: --replace
gives it another text, --mask puts [redacted] in place of each occurrence,
--delete deletes it.

You see what would be erased first, and are asked; elsewhere than on a terminal
--yes is needed. Afterwards every file of memtrail's home and of the store's
folder is searched for pieces of the text and of its stored form. The exit code
is 0 only when none was found.`,
		Example: `  memtrail redact notes/keys.md@3 --dry-run
  memtrail redact --memory notes/keys.md --delete
  pbpaste | memtrail redact --match - --mask --all-stores --yes
  memtrail redact --list`,
		Args:              misused(cobra.MaximumNArgs(1)),
		ValidArgsFunction: p.completeVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.list {
				return p.receipts(cmd.Context())
			}
			if err := p.parseRedaction(cmd, &r, args); err != nil {
				return err
			}
			by, err := p.person()
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error { return p.redact(cmd, s, by, r, args) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.memory, "memory", "", "the past versions of the memory at `PATH`; with --replace or --delete what stands too")
	flags.StringVar(&r.match, "match", "", "every version that holds `TEXT`; - reads it from standard input")
	flags.StringVar(&r.replace, "replace", "", "memories that hold it as they stand become `TEXT`")
	flags.StringVar(&r.mask, "mask", "", "with --match: in memories that stand `TEXT` takes its place, or nothing when empty")
	flags.Lookup("mask").NoOptDefVal = "[redacted]"
	flags.BoolVar(&r.remove, "delete", false, "memories that hold it as they stand are deleted")
	flags.BoolVar(&r.shared, "shared", false, "other versions that hold the same content too")
	flags.BoolVar(&r.all, "all-stores", false, "with --match: in all stores of this home")
	flags.BoolVar(&r.dryRun, "dry-run", false, "show what would be erased, and erase nothing")
	flags.BoolVarP(&r.yes, "yes", "y", false, "don't ask")
	flags.BoolVar(&r.list, "list", false, "list the receipts of redactions")
	return cmd
}

// parseRedaction makes sense of the flags, and reads the text when it is not among them.
func (p *program) parseRedaction(cmd *cobra.Command, r *redaction, args []string) (err error) {
	flags := cmd.Flags()
	given := func(names ...string) (n int) {
		for _, flag := range names {
			if flags.Changed(flag) {
				n++
			}
		}
		return n
	}
	switch {
	case given("replace", "mask", "delete") > 1:
		return misusef(cmd.CommandPath(), "choose one of --replace, --mask and --delete")
	case len(args)+given("memory", "match") != 1:
		return misusef(cmd.CommandPath(), "name one of a version, --memory PATH and --match TEXT")
	case flags.Changed("match") && r.match == "":
		return misusef(cmd.CommandPath(), "--match: the text is empty")
	case r.match == "" && (r.all || flags.Changed("mask")):
		return misusef(cmd.CommandPath(), "--all-stores and --mask go with --match")
	case r.match != "" && r.shared:
		return misusef(cmd.CommandPath(), "--match finds what is shared anyway: leave --shared out")
	}
	r.choice.Wait = readerWait
	switch {
	case flags.Changed("replace"):
		r.choice.Heads, r.choice.Text = versions.HeadReplace, []byte(r.replace)
	case flags.Changed("mask"):
		r.choice.Heads, r.choice.Text = versions.HeadMask, []byte(r.mask)
	case r.remove:
		r.choice.Heads = versions.HeadDelete
	}
	r.target.Shared, r.target.AllStores = r.shared, r.all
	if r.match == "-" {
		r.target.Match, err = p.secret("Text to erase (it is not shown): ")
	} else if r.match != "" {
		r.target.Match = []byte(r.match)
	}
	return err
}

func (p *program) redact(cmd *cobra.Command, s *versions.Store, by versions.By, r redaction, args []string) error {
	ctx := cmd.Context()
	if err := p.resolve(cmd, s, &r, args); err != nil {
		return err
	}
	plan, err := s.PlanRedact(ctx, r.target)
	if err != nil {
		return err
	}
	if err := p.redactPlan(plan, r); err != nil || r.dryRun {
		return err
	}
	if plan.Empty() {
		return nil
	}
	if ok, err := p.sure(cmd.CommandPath(), "Erase this for good? Nothing brings it back.", r.yes); err != nil || !ok {
		return err
	}
	searching := p.progress("searching")
	r.choice.Progress = func(done, total int64) { searching.bytes(p.now, done, total) }
	telling, told := p.telling(ctx, "")
	receipt, err := s.Redact(telling, by, plan, r.choice)
	told()
	searching.end()
	if err != nil {
		return err
	}
	return p.receipt(receipt)
}

// resolve finds the version or the memory that was named.
func (p *program) resolve(cmd *cobra.Command, s *versions.Store, r *redaction, args []string) error {
	if r.memory != "" {
		path, err := pathArg(cmd.CommandPath(), r.memory)
		if err != nil {
			return err
		}
		r.target.Memory, err = s.MemoryAt(cmd.Context(), path)
		return err
	}
	if len(args) == 0 {
		return nil
	}
	at, err := parseRef(cmd.CommandPath(), args[0])
	if err != nil {
		return err
	}
	if at.id == "" && at.version == 0 {
		return misusef(cmd.CommandPath(), "%s names no version: write %s@N, or a version's id", at.arg, at.arg)
	}
	v, err := at.one(cmd.Context(), s)
	r.target.Version = v.ID
	return err
}

// receipts lists all that was ever redacted in this home.
func (p *program) receipts(ctx context.Context) error {
	return p.withTrail(ctx, func(t *versions.Trail) error {
		all, err := t.Receipts(ctx)
		if err != nil {
			return err
		}
		for _, r := range all {
			if p.json {
				err = p.emit(receiptOf(r))
			} else {
				p.println("%4d  %s  %s  %s of %s: %s", r.ID, when(r.Time), p.column(r.By.String(), actorWidth), plural(r.Versions, "version"), p.safe(r.Name), outcomes[r.Outcome])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
