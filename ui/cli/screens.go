package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/memtrail/memtrail/ui"
	"github.com/memtrail/memtrail/ui/config"
	"github.com/memtrail/memtrail/versions"
)

// screens opens the screens on the store that is named, else on the one whose
// folder holds the working directory, else on the one used last.
func (p *program) screens(ctx context.Context, args []string) error {
	ref := p.storeAsked()
	if len(args) > 0 {
		ref = args[0]
	}
	conf, err := p.settings()
	if err != nil {
		return err
	}
	by, err := p.person()
	if err != nil {
		return err
	}
	return p.withTrail(ctx, func(t *versions.Trail) error {
		info, err := p.screenStore(ctx, t, ref)
		if errors.Is(err, versions.ErrNoStore) && len(args) > 0 {
			return &misuse{&hinted{err, "name a folder that exists, or a store; `memtrail stores` lists stores, `memtrail help` commands"}, ""}
		}
		if err != nil {
			return err
		}
		if conf.Accessible {
			return p.lines(ctx, t, info)
		}
		if !p.terminal || !isTerminal(p.in) {
			return errNoTerminal
		}
		if err := t.UseStore(ctx, info.ID); err != nil {
			return err
		}
		s, err := t.OpenStore(ctx, info.ID)
		if err != nil {
			return err
		}
		return errors.Join(p.run(ctx, conf, s, by, t.Drafts(info.ID), ""), s.Close())
	})
}

func (p *program) screenStore(ctx context.Context, t *versions.Trail, ref string) (versions.StoreInfo, error) {
	if ref != "" {
		return findStore(ctx, t, ref)
	}
	if info, ok, err := storeHere(ctx, t); ok || err != nil {
		return info, err
	}
	if all, err := t.Stores(ctx); err != nil || len(all) > 0 {
		if err != nil {
			return versions.StoreInfo{}, err
		}
		return all[0], nil
	}
	return ownStoreOf(ctx, t)
}

// run shows a store. Drafts may be nil: then a text that is not saved is not kept.
func (p *program) run(ctx context.Context, conf *config.Config, s *versions.Store, by versions.By, drafts *versions.Drafts, banner string) error {
	cfg := ui.Config{
		Store:      s,
		By:         by,
		Look:       looks[conf.Background],
		NoColor:    os.Getenv("NO_COLOR") != "",
		Theme:      conf.Theme,
		ThemeDark:  conf.ThemeDark,
		ThemeLight: conf.ThemeLight,
		Themes:     conf.Themes,
		ASCII:      conf.Borders == config.ASCII,
		Mouse:      conf.Mouse,
		NoWrap:     !conf.Wrap,
		Still:      !conf.Animation,
		Stale:      time.Duration(conf.StaleDays) * 24 * time.Hour,
		ReadOnly:   conf.ReadOnly,
		Editor:     conf.Editor,
		Keys:       conf.Keys,
		Banner:     banner,
		Input:      p.in,
		Output:     p.stdout,
	}
	if drafts == nil {
		return ui.Run(ctx, cfg)
	}
	cfg.Drafts = drafts
	return errors.Join(ui.Run(ctx, cfg), drafts.Close())
}

var looks = map[string]ui.Look{config.Auto: ui.Auto, config.Dark: ui.Dark, config.Light: ui.Light}
