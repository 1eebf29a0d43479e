package io.psf.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs the program in this JVM. */
final class Cli {
    private Cli() {}

    /** How a command ended and what it said. */
    record Said(int exit, String out, String err) {}

    static Said run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Said(
                exit,
                out.toString().replace(System.lineSeparator(), "\n"),
                err.toString().strip());
    }
}
