package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

type releaseJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"committed_at,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// release returns the version information of the build.
func release() releaseJSON {
	r := releaseJSON{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return r
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		r.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.Revision = s.Value
		case "vcs.time":
			r.Time = s.Value
		case "vcs.modified":
			r.Modified = s.Value == "true"
		}
	}
	return r
}

func (r releaseJSON) full() string { return fmt.Sprintf("%s (%s, %s)", r.Version, r.Go, r.Platform) }

func versionCommand(p *console) *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Annotations: map[string]string{overview: "of memend"},
		Short:       "Print memend's version",
		RunE: func(cmd *cobra.Command, args []string) error {
			r := release()
			p.answer(r, "memend version %s", r.full()) // as cobra words --version
			return nil
		},
	}
}
