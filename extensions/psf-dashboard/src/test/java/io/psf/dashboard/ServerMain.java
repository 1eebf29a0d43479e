package io.psf.dashboard;

import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;

/** A server in a process of its own, which a test kills. */
final class ServerMain {
    private ServerMain() {}

    public static void main(String[] arguments) {
        try (Server server = Server.start(ServerConfig.of("127.0.0.1", Integer.parseInt(arguments[0])))) {
            server.awaitTermination();
        }
    }
}
