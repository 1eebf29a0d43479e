package io.psf.benchmarks;

import io.psf.api.PsException;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;

/** The worker of a part: measures its cases in sequence. */
final class BenchWorker {
    private BenchWorker() {}

    public static void main(String[] args) throws Exception {
        WorkerTask task = WorkerTask.parse(args);
        boolean failed = false;
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker());
                RawClient raw = new RawClient(task.placement())) {
            Bench bench = new Bench(worker, raw, task.placement(), task.plan(), WorkerTask::tell);
            for (Case measured : task.cases()) {
                try {
                    bench.run(measured);
                } catch (PsException e) {
                    failed = true;
                    System.out.println("FAILED: " + measured.lines().get(0).name() + ": " + e.getMessage());
                    if (e.code() == PsException.Code.UNAVAILABLE) { // the other cases would fail, too
                        break;
                    }
                }
            }
        }
        if (failed) {
            System.exit(1);
        }
    }
}
