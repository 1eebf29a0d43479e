package io.psf.cli;

/**
 * Adds a command to {@code psf}. List the implementation in {@code META-INF/services/io.psf.cli.CommandProvider} on the
 * class path.
 */
public interface CommandProvider {
    /** Returns a picocli command: an object of a class that is annotated with {@code @Command(name = ..)}. */
    Object command();
}
