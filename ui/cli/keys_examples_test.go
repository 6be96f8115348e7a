package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memend/memend/ui/config"
)

// The examples of keys that a new settings file and the help have can be used as they are.
func TestKeys_OfTheExamplesAreAccepted(t *testing.T) {
	uncommented := regexp.MustCompile(`(?m)^#(\S)`).ReplaceAllString(config.Template(), "$1")
	_, example, _ := strings.Cut(uncommented, "[keys")
	tables := regexp.MustCompile(`(?m)^  (\[keys\.|\w+ = ).*$`).FindAllString(helpText("memend-help-keys"), -1)
	for name, text := range map[string]string{"the template": "[keys" + example, "the help": strings.Join(tables, "\n")} {
		if strings.Count(text, "=") == 0 {
			t.Errorf("%s has no example", name)
		}
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := Run([]string{"config", "check", file}, strings.NewReader(""), &out, &out); code != 0 {
			t.Errorf("%s:\n%s\n%s", name, text, out.String())
		}
	}
}
