package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses the values of settings. Each method returns null if the text is malformed. */
final class SettingsText {
    private static final Pattern BYTES = Pattern.compile("(\\d{1,9})([kmg]?)", Pattern.CASE_INSENSITIVE);
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9}) ?(ms|s|m|h)");

    private SettingsText() {}

    static @Nullable Integer wholeNumber(String text, int least, int most) {
        try {
            int value = Integer.parseInt(text);
            return value < least || value > most ? null : value;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    static @Nullable List<Integer> devices(String text) {
        List<Integer> devices = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Integer device = wholeNumber(part.trim(), 0, Integer.MAX_VALUE);
            if (device == null || devices.contains(device)) {
                return null;
            }
            devices.add(device);
        }
        return devices;
    }

    static @Nullable Role role(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "scheduler", "ms_sched" -> Role.SCHEDULER;
            case "server", "ms_pserver" -> Role.SERVER;
            case "worker", "ms_worker" -> Role.WORKER;
            default -> null;
        };
    }

    static TransportConfig.@Nullable Kind transport(String text) {
        for (TransportConfig.Kind kind : TransportConfig.Kind.values()) {
            if (kind.name().equalsIgnoreCase(text)) {
                return kind;
            }
        }
        return null;
    }

    static @Nullable SettingsWorkers workers(String text) {
        boolean more = text.endsWith("+");
        Integer count = wholeNumber(more ? text.substring(0, text.length() - 1) : text, 1, Integer.MAX_VALUE);
        return count == null ? null : new SettingsWorkers(count, more);
    }

    static @Nullable Boolean isService(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "job" -> false;
            case "service" -> true;
            default -> null;
        };
    }

    /** Parses a switch. Each one may be written in both ways; messages name the usual one. */
    static @Nullable Boolean onOrOff(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "on", "true" -> true;
            case "off", "false" -> false;
            default -> null;
        };
    }

    static @Nullable Duration micros(String text) {
        Integer micros = wholeNumber(text, 0, 1_000_000);
        return micros == null ? null : Duration.ofNanos(1000L * micros);
    }

    static @Nullable Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    static CheckpointStore checkpoints(String text) {
        try {
            return CheckpointStores.open(text);
        } catch (IllegalArgumentException | IOException e) {
            throw new PsException(PsException.Code.CONFIGURATION, "PSF_CHECKPOINTS: " + e.getMessage(), e);
        }
    }

    static @Nullable Long bytes(String text) {
        Matcher matcher = BYTES.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        long count = Long.parseLong(matcher.group(1));
        long bytes = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> count << 10;
            case "m" -> count << 20;
            case "g" -> count << 30;
            default -> count;
        };
        return bytes < Defaults.LEAST_MEMORY ? null : bytes;
    }

    static @Nullable Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        long count = Long.parseLong(matcher.group(1));
        Duration duration = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
        return duration.isZero() ? null : duration;
    }
}
