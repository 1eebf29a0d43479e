package io.psf.examples.data;

import io.psf.api.PsException;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;

/** Data sets for tests. A test is skipped, with the reason, where its data is not there and cannot be fetched. */
public final class RealData {
    private RealData() {}

    /** No images. */
    public static final Images NONE = new Images(0, 0, new byte[0], new byte[0]);

    public static Mnist mnist() {
        return orSkip(Mnist::load);
    }

    public static List<Rating> ratings() {
        return orSkip(MovieLens::load);
    }

    private static <T> T orSkip(Supplier<T> load) {
        try {
            return load.get();
        } catch (PsException e) {
            if (e.code() == PsException.Code.CONFIGURATION || e.code() == PsException.Code.UNAVAILABLE) {
                return Assumptions.abort(e.getMessage());
            }
            throw e;
        }
    }
}
