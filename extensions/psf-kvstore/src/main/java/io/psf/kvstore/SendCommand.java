package io.psf.kvstore;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;

/** Runs a {@link KVStoreCommand} on every server. */
@PsFunction(value = "psf.kv.command", at = Place.SERVER)
public interface SendCommand {
    /**
     * The command. The call fails with {@code BAD_REQUEST} if a server has no command of that number.
     *
     * @param head the number of the command
     * @param body the text for the command
     */
    record Request(int head, String body) {}

    /**
     * The answers.
     *
     * @param answers one answer per server, in the order of the ranks
     */
    record Response(List<String> answers) {}

    /** Runs the command on this server. */
    default Response handle(Request request, Node server) {
        KVStoreCommand command = server.attachment("psf.kv.commands", Commands.class, Commands::found)
                .of(request.head());
        return new Response(List.of(command.run(request.body(), server)));
    }
}
