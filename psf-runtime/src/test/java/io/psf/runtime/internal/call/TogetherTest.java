package io.psf.runtime.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TogetherTest {
    /** One broken connection fails all parts of a call on its server. */
    @Test
    void aCauseThatPartsShareIsTracedOnce() {
        IOException broke = new IOException("connection reset");
        PsException first = failure("[0, 4)", broke);
        PsException all = Together.of(List.of(first, first, failure("[4, 8)", broke), failure("[8, 12)", null)), 2);

        StringWriter trace = new StringWriter();
        all.printStackTrace(new PrintWriter(trace, true));
        assertThat(trace.toString()).contains("connection reset").doesNotContain("CIRCULAR");
        assertThat(all.getSuppressed()).hasSize(2);
        assertThat(all).hasMessageContaining("[4, 8)").hasMessageContaining("[8, 12)");
    }

    private static PsException failure(String slice, @Nullable IOException cause) {
        PsException failure = cause == null
                ? new PsException(Code.UNAVAILABLE, "lost")
                : new PsException(Code.UNAVAILABLE, "lost", cause);
        return failure.at("psf.dense.push", "w", slice, "server 1");
    }
}
