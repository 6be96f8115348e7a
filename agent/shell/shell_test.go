package shell

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writesIn returns whether a command line may write in the folder /s/mem, in which every name counts.
func writesIn(line, dir string) bool {
	return slices.ContainsFunc(Names(line, dir, "/home/me"), func(n Name) bool {
		inside := n.Path == "/s/mem" || strings.HasPrefix(n.Path, "/s/mem/")
		return n.Use != Read && inside || (n.Use == Moved || n.Use == Deleted) && (n.Path == "/s" || n.Path == "/") && takes(n.Pattern)
	})
}

func takes(pattern string) bool {
	ok, err := filepath.Match(pattern, "mem")
	return pattern == "" || ok || err != nil
}

func TestNames_OfCommandsThatWrite(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"echo x > /s/mem/old.md",
		"echo x >> /s/mem/old.md",
		"echo x >| '/s/mem/old.md'",
		`printf x &> "/s/mem/with blank.md"`,
		"cat <<'EOF' > /s/mem/old.md\ntext\nEOF",
		"cat a b | tee -a /s/mem/old.md",
		"sed -i s/a/b/ /s/mem/old.md",
		"sed -ni.bak p /s/mem/old.md",
		"sed -n 'w /s/mem/old.md' x",
		"awk '{print > \"/s/mem/old.md\"}' x",
		"cp x /s/mem",
		"cp -t /s/mem x y",
		"mv /s/mem/old.md /tmp",
		"mv x /s/mem/old.md",
		"rm -f /s/mem/old.md",
		"rm -rf /s/mem /tmp/x",
		"rm -rf /s",
		"rm -rf /s/*",
		"rm -rf /s/m?m /s/[x]",
		"find /s/mem -name '*.md' -delete",
		"find /s/mem -type f -exec rm {} +",
		"find /s/mem -name '*.md' | xargs rm",
		"ls /s/mem/*.md | while read f; do rm \"$f\"; done",
		"for f in /s/mem/*.md; do sed -i s/a/b/ \"$f\"; done",
		"cd /s/mem && rm old.md",
		"cd /s && cd mem; echo x > old.md",
		"cd /s/mem && make",
		"cd /s/mem && cat x >&old.md",
		"cd /s/mem && cat x &>1",
		"cd /s/mem && cat x 2>1",
		"cd /s/mem && git checkout .",
		"cd /s/mem && ls | xargs rm",
		"(cd /s/mem; touch new)",
		"git -C /s/mem reset --hard",
		"D=/s/mem; echo x > $D/old.md",
		"D=/s/mem && python3 gen.py \"${D}/old.md\"",
		"export D=/s/mem; cp x \"$D\"/old.md",
		"python3 -c \"open('/s/mem/old.md','w').write('x')\"",
		"python3 <<EOF\nopen('/s/mem/old.md','w')\nEOF",
		"bash -c 'echo x > /s/mem/old.md'",
		"sh -ec \"cd /s/mem; touch a\"",
		"eval 'echo x > /s/mem/old.md'",
		"echo 'rm /s/mem/old.md' | sh",
		"dd if=/dev/zero of=/s/mem/old.md",
		"curl -o /s/mem/old.md https://example.com",
		"curl -o/s/mem/old.md https://example.com",
		"sort -o /s/mem/old.md x",
		"uniq x /s/mem/old.md",
		"ln -s /s/mem/old.md /tmp/l",
		"sudo tee /s/mem/old.md < x",
		"env A=b cp x /s/mem/old.md",
		"time cp x /s/mem/old.md",
		"true && { cat x; echo y; } > /s/mem/old.md",
		"if true; then echo x; fi >> /s/mem/old.md",
		"echo $(rm /s/mem/old.md)",
		"cat <(tee /s/mem/old.md)",
		"cat() { rm \"$@\"; }; cat /s/mem/old.md",
		"/s/mem/run.sh",
		"./mem/run.sh",
		"echo x > mem/../mem/old.md",
		"echo x > mem/$NAME",
		"echo x 1>/s/mem/old.md",
		"exec 3<>/s/mem/old.md",
		`echo x > /s/m"e"m/old.md`,
		`echo x > /s/me\m/old.md`,
		"touch mem/{a,b}.md",
		"echo 'unclosed > /s/mem/old.md",
	} {
		if !writesIn(line, "/s") {
			t.Errorf("%q passes: %+v", line, Names(line, "/s", "/home/me"))
		}
	}
	for _, line := range []string{"echo x > ~/mem/old.md", `echo x > "$HOME"/mem/old.md`, "echo x > ${HOME}/mem/old.md", "cd && echo x > mem/old.md", "cd ~/mem && rm *"} {
		if got := Names(line, "/", "/s"); !slices.ContainsFunc(got, func(n Name) bool { return n.Use != Read && strings.HasPrefix(n.Path, "/s/mem") }) {
			t.Errorf("%q passes: %+v", line, got)
		}
	}
}

func TestNames_OfCommandsThatOnlyRead(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"cat /s/mem/old.md",
		"cat mem/old.md mem/b.md | grep -n x | head -5",
		"ls -la /s/mem",
		"head -n 20 /s/mem/*.md > /tmp/out",
		"grep -rn 'a > b' /s/mem 2>/dev/null",
		"grep x /s/mem/old.md 2>&1",
		"cd /s/mem && cat old.md 2>&1",
		"cd /s/mem && grep -rn foo . 2>&1 | head",
		"cd /s/mem && cat old.md >&2",
		"cd /s/mem && cat old.md 3>&1- >&- 2>&'1'",
		"find /s/mem -name '*.md' -newer x",
		"find /s/mem -name '*.md' | xargs cat",
		"find /s/mem -name '*.md' -print0 | xargs -0 -n 1 wc -l",
		"for f in /s/mem/*.md; do echo \"$f\"; cat \"$f\"; done",
		"sed -n '1,20p' /s/mem/old.md",
		"sed -n '/a b/p; s/x y/z/p' mem/old.md",
		"awk '{print $1}' /s/mem/old.md",
		"wc -l < /s/mem/old.md",
		"diff /s/mem/a.md /tmp/b.md",
		"cp /s/mem/old.md /tmp/copy.md",
		"cp -r /s/mem /tmp/",
		"cd /s/mem && ls && cat old.md",
		"cd /s/mem && git log --oneline -5",
		"cd /s/mem && cp old.md /tmp",
		"(cd /s/mem; cat old.md); make test",
		"git -C /s/mem status",
		"git commit -m 'Write /s/mem/old.md'",
		"echo 'see /s/mem/old.md'",
		"test -f /s/mem/old.md && echo yes",
		"[ -d /s/mem ] || exit 1",
		"[[ -e /s/mem/old.md ]] && stat /s/mem/old.md",
		"if grep -q x /s/mem/old.md; then echo yes; fi",
		"N=$(wc -l < /s/mem/old.md); echo $N",
		"jq . /s/mem/a.json",
		"timeout 5 cat /s/mem/old.md",
		"command cat /s/mem/old.md",
		"/bin/cat /s/mem/old.md",
		"sort /s/mem/old.md | uniq -c | sort -rn",
		"memend write /s/mem/old.md",
		"cat <<EOF > /tmp/x\nrm /s/mem/old.md\nEOF",
		"make test",
		"go test ./... > /tmp/out 2>&1",
		"rm -rf /tmp/x *.log",
		"echo x > /s/memory.md",
		"bash -c 'cat /s/mem/old.md'",
	} {
		if writesIn(line, "/s") {
			t.Errorf("%q is taken for a write: %+v", line, Names(line, "/s", "/home/me"))
		}
	}
}

// Whatever a command line holds, it is gone through.
func FuzzNames(f *testing.F) {
	for _, line := range []string{"cd /s && rm ${a[1]}", "a=(b c) >&-", "cat <<<$x | while :; do break; done", "bash -c \"$(bash -c 'x')\"", "cd; uniq -", "cp -t", "xargs", "echo \\"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) { Names(line, "/s", "/home/me") })
}
