package io.psf.cli;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.ArrayList;
import java.util.List;

/** A worker whose objects leave its heap little space, until the process is ended. The argument is the scheduler's port. */
public final class FullHeapMain {
    /** The bytes of an object of the list, with its reference. */
    private static final int OBJECT = 68;

    private FullHeapMain() {}

    public static void main(String[] args) {
        try (Worker worker = Worker.connect(WorkerConfig.of("127.0.0.1", Integer.parseInt(args[0])))) {
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 8));
            long most = Runtime.getRuntime().maxMemory();
            List<long[]> kept = new ArrayList<>();
            for (long i = 0; i < most * 7 / 10 / OBJECT; i++) {
                kept.add(new long[6]);
            }
            byte[][] recent = new byte[(int) (most / 16 >> 16)][];
            for (int i = 0; kept.size() > 0; i++) {
                recent[i % recent.length] = new byte[1 << 16];
                if (i % 64 == 0) {
                    Tensors.pull(worker, w);
                }
            }
        }
    }
}
