package io.psf.kvstore;

import io.psf.api.PsException;
import io.psf.api.spi.ServiceClassPath;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The commands on a server's class path, by head. */
final class Commands {
    private final Map<Integer, KVStoreCommand> byHead = new TreeMap<>();

    /**
     * Finds the commands on the class path.
     *
     * @throws PsException with {@code CONFIGURATION} if two commands have the same head
     */
    static Commands found() {
        Commands commands = new Commands();
        for (KVStoreCommand command : ServiceLoader.load(KVStoreCommand.class, ServiceClassPath.of(Commands.class))) {
            KVStoreCommand same = commands.byHead.put(command.head(), command);
            if (same != null) {
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "head of " + command.getClass().getName() + ": " + command.head() + ", as of "
                                + same.getClass().getName() + " (expected: a number of its own)");
            }
        }
        return commands;
    }

    /**
     * Returns the command of a head.
     *
     * @throws PsException with {@code BAD_REQUEST} if there is none
     */
    KVStoreCommand of(int head) {
        KVStoreCommand command = byHead.get(head);
        if (command == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "head: " + head + " (expected: the head of a KVStoreCommand on the servers' class path: "
                            + byHead.keySet() + ")");
        }
        return command;
    }
}
