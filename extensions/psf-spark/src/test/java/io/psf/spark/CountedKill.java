package io.psf.spark;

import io.psf.api.HandlerInterceptor;
import io.psf.api.Intercepted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;

/**
 * Kills an executor with {@code kill -9} in the middle of the n-th call of a function that its server handles. A test
 * asks for it by a file, which is renamed when it has happened. Found by servers on their class path.
 */
public final class CountedKill implements HandlerInterceptor {
    private static final String FOLDER = "PSF_TEST_KILLS";

    private static final AtomicInteger HANDLED = new AtomicInteger();

    private final AtomicInteger calls = new AtomicInteger();

    /** Lets tests kill executors of a session. */
    public static SparkSession.Builder of(SparkSession.Builder builder, Path folder) {
        return builder.config("spark.executorEnv." + FOLDER, folder.toString());
    }

    /**
     * Kills an executor. Returns at once.
     *
     * @param executor its id
     * @param function the function whose calls are counted from now on
     * @param count the number of the call that does not end
     */
    public static void ask(Path folder, String executor, String function, int count) throws IOException {
        ask(folder, executor, function, count, 0);
    }

    /**
     * Kills another process in the same way.
     *
     * @param executor the id of the one whose server counts the calls
     * @param process the process that is killed; 0 for the executor
     */
    public static void ask(Path folder, String executor, String function, int count, long process) throws IOException {
        Files.deleteIfExists(done(folder));
        Path begun =
                Files.writeString(folder.resolve("begun"), executor + "\n" + function + "\n" + count + "\n" + process);
        Files.move(begun, asked(folder), StandardCopyOption.ATOMIC_MOVE);
    }

    /** True if the executor of the last call of {@link #ask} was killed. */
    public static boolean isDone(Path folder) {
        return Files.exists(done(folder));
    }

    /** Returns how many calls servers of this process have handled. */
    public static int handled() {
        return HANDLED.get();
    }

    private static Path asked(Path folder) {
        return folder.resolve("asked");
    }

    private static Path done(Path folder) {
        return folder.resolve("done");
    }

    @Override
    public Object handle(Intercepted call, Supplier<Object> next) {
        HANDLED.incrementAndGet();
        String folder = System.getenv(FOLDER);
        if (folder != null && Files.exists(asked(Path.of(folder)))) {
            try {
                count(Path.of(folder), call.function());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return next.get();
    }

    private void count(Path folder, String function) throws IOException {
        List<String> asked = Files.readAllLines(asked(folder));
        if (!asked.get(0).equals(SparkEnv.get().executorId()) || !asked.get(1).equals(function)) {
            return;
        }
        if (calls.incrementAndGet() == Integer.parseInt(asked.get(2))) {
            Files.move(asked(folder), done(folder), StandardCopyOption.ATOMIC_MOVE);
            long own = ProcessHandle.current().pid();
            long process = Long.parseLong(asked.get(3));
            new ProcessBuilder("kill", "-9", "" + (process == 0 ? own : process)).start();
            calls.set(0);
            while (process == 0) {
                Thread.onSpinWait(); // the call does not end
            }
        }
    }
}
