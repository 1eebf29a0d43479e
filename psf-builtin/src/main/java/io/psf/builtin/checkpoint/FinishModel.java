package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.AtMost;

/** Reports the outcome of a save or load of a model to the waiting workers. Called by the worker that leads. */
@PsFunction(value = "psf.model.finish", at = Place.SERVER)
public interface FinishModel {
    /**
     * The outcome.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name
     * @param attempt the attempt's number
     * @param code the number of the failure's code; 0 on success
     * @param failed the reason of a failure; empty on success
     * @param step the step that was saved or loaded; -1 if none was found
     */
    record Request(@ByKey long server, String model, long attempt, int code, String failed, long step) {}

    /** The acknowledgement. */
    record Response() {}

    /** Answers the waiting workers. */
    default Response handle(Request request, Node server) {
        ModelAttempts.of(server)
                .at(request.model(), request.attempt())
                .finish(server.call().worker(), code(request.code()), AtMost.cut(request.failed()), request.step());
        return new Response();
    }

    private static PsException.Code code(int number) {
        PsException.Code[] codes = PsException.Code.values();
        if (number < 0 || number >= codes.length) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "code: " + number + " (expected: 0 .. " + (codes.length - 1) + ")");
        }
        return codes[number];
    }
}
