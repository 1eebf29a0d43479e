package io.psf.examples.hetu;

import io.psf.runtime.Server;
import io.psf.runtime.Settings;

/** Hetu's {@code server.py}. */
public final class ServerMain {
    private ServerMain() {}

    /** Runs the server that the environment names, until the job ends. */
    public static void main(String[] arguments) {
        try (Server server = Server.start(Settings.fromEnvironment().server())) {
            server.awaitTermination();
        }
    }
}
