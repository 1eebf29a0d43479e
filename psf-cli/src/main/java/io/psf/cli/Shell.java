package io.psf.cli;

import io.psf.runtime.Client;
import io.psf.runtime.Worker;

/** The methods that the first snippet of {@code psf shell} calls. */
public final class Shell {
    private Shell() {}

    /**
     * Returns the connected worker of the shell.
     *
     * @throws NullPointerException outside of {@code psf shell}
     */
    public static Worker worker() {
        return (Worker) JShell.connected();
    }

    /**
     * Returns the connected client of the shell.
     *
     * @throws NullPointerException outside of {@code psf shell}
     */
    public static Client client() {
        return (Client) JShell.connected();
    }
}
