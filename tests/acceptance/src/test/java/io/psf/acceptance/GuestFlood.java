package io.psf.acceptance;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.internal.statistics.CollectStatisticsPsf;
import io.psf.builtin.tensor.ListTensorsPsf;
import io.psf.runtime.Guest;
import io.psf.runtime.Settings;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of guests that call a function of a server as fast as they can, and take none of the answers once the
 * process is stopped. Arguments: the number of guests, and the function. Prints how many were admitted and refused.
 */
public final class GuestFlood {
    private GuestFlood() {}

    public static void main(String[] arguments) {
        WorkerConfig config = Settings.fromEnvironment().worker().withRank(-1).withDeadline(Duration.ofMinutes(5));
        List<Guest> guests = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            try {
                guests.add(Guest.visit(config));
            } catch (PsException e) {
                if (e.code() != PsException.Code.RESOURCE_EXHAUSTED) {
                    throw e;
                }
                refused++;
            }
        }
        System.out.println("ADMITTED " + guests.size() + " REFUSED " + refused);
        boolean lists = arguments[1].equals("list");
        guests.forEach(guest -> new Thread(() -> flood(guest, lists)).start());
    }

    private static void flood(FunctionCaller guest, boolean lists) {
        for (int i = 0; i < 100_000; i++) {
            var unused = lists
                    ? ListTensorsPsf.stub(guest).call()
                    : CollectStatisticsPsf.stub(guest).call();
        }
    }
}
