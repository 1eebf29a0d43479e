package io.psf.benchmarks;

import io.psf.runtime.Settings;
import io.psf.runtime.Worker;

/** The one worker of a part: measures its cases in turn. */
final class BenchWorker {
    private BenchWorker() {}

    public static void main(String[] args) throws Exception {
        WorkerTask task = WorkerTask.parse(args);
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker());
                RawClient raw = new RawClient()) {
            Bench bench = new Bench(worker, raw, task.plan(), WorkerTask::tell);
            for (Case measured : task.cases()) {
                bench.run(measured);
            }
        }
    }
}
