package io.psf.cli;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import org.jspecify.annotations.Nullable;

/**
 * The conversion word {@code %node} of the log: role and rank of the node that this process is, such as {@code server
 * 1}. The scheduler has no rank, a node that has not joined has none unless it has requested one, and a process that is
 * no node is {@code psf}.
 */
public final class LogNode extends ClassicConverter {
    private static volatile String name =
            of(System.getenv().getOrDefault("PSF_ROLE", "psf"), System.getenv().get("PSF_RANK"));

    /** Creates the converter; Logback does. */
    public LogNode() {}

    /** Returns the name of a role with a rank, which the setting is if it is a number. */
    static String of(String role, @Nullable String rank) {
        boolean ranked = rank != null && rank.matches("\\d+") && (role.equals("server") || role.equals("worker"));
        return ranked ? role + " " + rank : role;
    }

    /** Sets role and rank of this process. */
    static void set(String role, @Nullable String rank) {
        name = of(role, rank);
    }

    @Override
    public String convert(ILoggingEvent event) {
        return name;
    }
}
