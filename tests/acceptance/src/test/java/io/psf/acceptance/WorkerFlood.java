package io.psf.acceptance;

import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.internal.statistics.CollectStatisticsPsf;
import io.psf.builtin.tensor.ListTensorsPsf;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process of a worker that calls a function of the servers as fast as it can, and takes none of the answers once the
 * process is stopped. Argument: the function. Prints when it has sent many calls.
 */
public final class WorkerFlood {
    private static final int THREADS = 4;
    private static final int MANY = 2000;

    private WorkerFlood() {}

    public static void main(String[] arguments) {
        Worker worker = Worker.connect(Settings.fromEnvironment().worker());
        boolean lists = arguments[0].equals("list");
        AtomicLong sent = new AtomicLong();
        for (int i = 0; i < THREADS; i++) {
            new Thread(() -> flood(worker, lists, sent)).start();
        }
    }

    private static void flood(FunctionCaller worker, boolean lists, AtomicLong sent) {
        for (int i = 0; i < 1_000_000; i++) {
            var unused = lists
                    ? ListTensorsPsf.stub(worker).call()
                    : CollectStatisticsPsf.stub(worker).call();
            if (sent.incrementAndGet() == MANY) {
                System.out.println("FLOODING");
            }
        }
    }
}
