// Package config reads how a person wants the screens and the agent: the file config.toml in
// the platform's folder for settings, the environment, and what flags say. A
// flag beats the environment, that beats the file, and the file beats the
// defaults.
//
// Everything that is wrong is a Problem that names its place, a file's line
// say, and what to write instead. Nothing is guessed and nothing is left out in
// silence: a setting that does not exist is a problem, too. That there is no file
// is none.
//
// Own themes are files in the folder "themes" beside the file.
package config
