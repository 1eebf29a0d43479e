package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.Workers;

/** Reports the outcome of a meeting to the other workers. Called by the worker that leads. */
@PsFunction(value = "psf.training.end", at = Place.SERVER)
public interface EndMeeting {
    /**
     * The outcome.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param meeting the step of the cut; {@link MeetWorkers#LOAD} for a load
     * @param code the number of the failure's code; 0 on success
     * @param failed the reason of a failure; empty on success
     * @param step the step that was saved or loaded; -1 if none was
     */
    record Request(@ByKey long server, String model, long meeting, int code, String failed, long step) {}

    /** The acknowledgement. */
    record Response() {}

    /** Answers the waiting workers. */
    default Response handle(Request request, Node server) {
        int worker = Workers.rank(server.call(), "training loop");
        PsException.Code code = code(request.code());
        PsException failure = code == PsException.Code.OK
                ? null
                : new PsException(code, "worker " + worker + " failed: " + AtMost.cut(request.failed()));
        TrainingLoops.of(server).at(request.model()).end(worker, request.meeting(), request.step(), failure);
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
