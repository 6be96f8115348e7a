// Package config reads the settings of the TUI and the agent: from the file config.toml in
// the platform's folder for settings, the environment, and flags. A flag overrides the
// environment, which overrides the file, which overrides the defaults.
//
// Every error is a Problem that names its place, such as a line of the file,
// and what to write instead. Nothing is guessed and nothing is ignored
// silently: an unknown setting is a problem, too. A missing file is not.
//
// Themes of the person's own are files in the folder "themes" beside the file.
package config
