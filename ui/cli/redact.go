package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

// redaction is what the command line of redact says.
type redaction struct {
	memory, match string
	verify        string
	replace, mask string
	remove        bool
	shared, all   bool
	fold, pattern bool
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
		Long: `Erase what versions hold: their text, path, size and hash. That they existed,
who made them and when stays in the history. Redacted text can't be recovered.

Name one version, or with --memory all past versions of a memory, or with
--match every version whose text or path holds a text. --match - reads the text
from standard input, so that it does not get into the history of your shell.
--ignore-case and --regexp find it in other forms. A current memory that holds
the text is changed only when you say how: --replace gives it another text,
--mask puts [redacted] in place of each occurrence, --delete deletes it.

With --match the text is also masked in the descriptions, titles and metadata
of stores, in the names of actors and sessions, in the messages and e-mail
addresses of imported commits, in the instructions of attachments and in
conversations with agents. Unsaved texts and copies for editors that hold it are
erased. --all-stores does so in all stores of this home.

You see first what would be erased, and are asked; without a terminal --yes is
needed. Then every file of memtrail's home and of the store's folder is
searched for fragments of the text and of its stored form, also inside of
packed files (gzip, zstd, bzip2, zip) and of JSON. The exit code is 0 only when
nothing was found. A redaction that is interrupted is finished when memtrail is
next started. In a hosted store the service erases its versions too; when it
can't be reached in between, what is here is erased at once, the rest when the
store is next synced, and until then the redaction counts as not finished.

--verify TEXT only searches. It changes nothing, and exits with 0 only when
nothing holds the text.`,
		Example: `  memtrail redact notes/keys.md@3 --dry-run
  memtrail redact --memory notes/keys.md --delete
  pbpaste | memtrail redact --match - --mask --all-stores --yes
  memtrail redact --match 'sk-[a-z0-9]{20,}' --regexp --mask
  pbpaste | memtrail redact --verify - --all-stores
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
			if r.verify != "" {
				return p.withStore(cmd.Context(), func(s *versions.Store) error { return p.verify(cmd.Context(), s, r) })
			}
			by, err := p.person()
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error { return p.redact(cmd, s, by, r, args) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.memory, "memory", "", "the past versions of the memory at `PATH`; with --replace or --delete the current one too")
	flags.StringVar(&r.match, "match", "", "every version that holds `TEXT`; - reads it from standard input")
	flags.StringVar(&r.verify, "verify", "", "only search for `TEXT`, and change nothing; - reads it from standard input")
	flags.BoolVarP(&r.fold, "ignore-case", "i", false, "with --match or --verify: in upper and lower case")
	flags.BoolVarP(&r.pattern, "regexp", "e", false, "the text of --match or --verify is a regular expression (RE2)")
	flags.StringVar(&r.replace, "replace", "", "replace current memories that hold it with `TEXT`")
	flags.StringVar(&r.mask, "mask", "", "with --match: in current memories put `TEXT` in its place")
	flags.Lookup("mask").NoOptDefVal = "[redacted]"
	flags.BoolVar(&r.remove, "delete", false, "delete current memories that hold it")
	flags.BoolVar(&r.shared, "shared", false, "other versions that hold the same content too")
	flags.BoolVar(&r.all, "all-stores", false, "with --match or --verify: in all stores of this home")
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
	case len(args)+given("memory", "match", "verify") != 1:
		return misusef(cmd.CommandPath(), "name one of a version, --memory PATH, --match TEXT and --verify TEXT")
	case given("match", "verify") == 1 && r.match == "" && r.verify == "":
		return misusef(cmd.CommandPath(), "the text is empty")
	case r.verify != "" && given("replace", "mask", "delete", "shared", "dry-run", "yes") > 0:
		return misusef(cmd.CommandPath(), "--verify only searches: leave --replace, --mask, --delete, --shared, --dry-run and --yes out")
	case r.match == "" && flags.Changed("mask"):
		return misusef(cmd.CommandPath(), "--mask goes with --match")
	case r.match == "" && r.verify == "" && (r.all || r.fold || r.pattern):
		return misusef(cmd.CommandPath(), "--all-stores, --ignore-case and --regexp go with --match and --verify")
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
	r.target.Shared, r.target.AllStores, r.target.IgnoreCase, r.target.Regexp = r.shared, r.all, r.fold, r.pattern
	switch text := r.match + r.verify; text {
	case "":
	case "-":
		r.target.Match, err = p.secret("Text to erase (it is not shown): ")
	default:
		r.target.Match = []byte(text)
	}
	if err == nil && r.target.Match != nil {
		if err = r.target.Check(); err != nil {
			err = &misuse{err, cmd.CommandPath()}
		}
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
	onlyPast := r.target.Memory != "" && r.choice.Heads == versions.HeadRefuse
	if (plan.Empty() || onlyPast && len(plan.Live()) == len(plan.Erase)) && !r.dryRun {
		return p.nothingToRedact(ctx, s, plan, r)
	}
	if err := p.redactPlan(plan, r); err != nil || r.dryRun {
		return err
	}
	if ok, err := p.sure(cmd.CommandPath(), "Erase this? Redacted text can't be recovered.", r.yes); err != nil || !ok {
		return err
	}
	searching := p.searching(&r)
	telling, told := p.telling(ctx, "")
	receipt, err := s.Redact(telling, by, plan, r.choice)
	told()
	searching.end()
	if err != nil {
		return err
	}
	return p.receipt(receipt)
}

// searching shows how far the search is.
func (p *program) searching(r *redaction) *progress {
	searching := p.progress("searching")
	r.choice.Progress = func(done, total int64) { searching.bytes(p.now, done, total) }
	return searching
}

// verify only searches.
func (p *program) verify(ctx context.Context, s *versions.Store, r redaction) error {
	searching := p.searching(&r)
	found, err := s.VerifyErased(ctx, r.target, r.choice.Scrub)
	searching.end()
	if err != nil {
		return err
	}
	return p.receipt(found)
}

// nothingToRedact tells whether a text that nothing here can be redacted for is gone,
// or what became of versions that were redacted before.
func (p *program) nothingToRedact(ctx context.Context, s *versions.Store, plan versions.RedactPlan, r redaction) error {
	if r.target.Match != nil {
		switch {
		case p.json:
		case len(plan.Kept) > 0:
			p.println("nothing to redact: no version of store %s holds it", p.safe(s.Info().Name))
		default:
			p.println("nothing to redact: no version holds it")
		}
		return p.verify(ctx, s, r)
	}
	before, err := s.RedactionsOf(ctx, r.target)
	if err != nil {
		return err
	}
	if !p.json {
		p.println("nothing to redact")
	}
	failed := false
	for _, b := range before {
		failed = failed || b.Outcome != versions.OutcomeGone
		if p.json {
			err = p.emit(receiptOf(b))
		} else {
			p.println("redacted by %s on %s (receipt %d): %s", p.safe(b.By.String()), when(b.Time), b.ID, outcomes[b.Outcome])
		}
		if err != nil {
			return err
		}
	}
	if failed {
		return errToldAlready
	}
	return nil
}

// resolve finds the version or the memory that was named.
func (p *program) resolve(cmd *cobra.Command, s *versions.Store, r *redaction, args []string) error {
	if r.memory != "" {
		var err error
		r.target.Memory, err = p.memoryArg(cmd.Context(), s, cmd.CommandPath(), r.memory)
		return err
	}
	if len(args) == 0 {
		return nil
	}
	at, err := p.parseRef(cmd.Context(), s, cmd.CommandPath(), args[0])
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
				left := ""
				if r.LeftThere > 0 {
					left = fmt.Sprintf(" (its service has not erased %s)", plural(r.LeftThere, "version"))
				}
				p.println("%4d  %s  %s  %s of %s: %s%s", r.ID, when(r.Time), p.actorColumn(draw.Name(r.By)), plural(r.Versions, "version"), p.safe(r.Name), outcomes[r.Outcome], left)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
