package io.psf.runtime;

import io.psf.api.Role;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One way to give a setting: a variable, or a host and a port in two variables.
 *
 * @param names the variables, one or two
 * @param defaults what stands for a variable that is not set when the other one is; empty when both are needed
 * @param role the only role that reads it; null when all do
 */
record SettingsSpelling(
        List<String> names, List<String> defaults, @Nullable Role role) {

    static SettingsSpelling of(String name) {
        return new SettingsSpelling(List.of(name), List.of(), null);
    }

    static SettingsSpelling of(String name, Role role) {
        return new SettingsSpelling(List.of(name), List.of(), role);
    }

    static SettingsSpelling pair(String host, String port) {
        return new SettingsSpelling(List.of(host, port), List.of(), null);
    }

    /** A place to listen at: loopback, and a port that the system chooses, for what is not set. */
    static SettingsSpelling listen(String host, String port, Role role) {
        return new SettingsSpelling(List.of(host, port), List.of("127.0.0.1", "0"), role);
    }

    boolean isReadBy(@Nullable Role reader) {
        return role == null || role == reader;
    }

    /** The setting as a source gives it in this spelling; null when it does not. */
    @Nullable
    String read(SettingsSource source) {
        if (names.stream().allMatch(name -> source.get(name) == null)) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String part = source.get(names.get(i));
            if (part == null && defaults.isEmpty()) {
                throw Settings.invalid("%s: not set, while %s is %s in %s (expected: both, or neither)"
                        .formatted(
                                names.get(i),
                                source.written(names.get(1 - i)),
                                source.get(names.get(1 - i)),
                                source.place()));
            }
            parts.add(part == null ? defaults.get(i) : part);
        }
        if (parts.size() == 2 && parts.get(0).indexOf(':') >= 0 && !parts.get(0).startsWith("[")) {
            parts.set(0, "[" + parts.get(0) + "]");
        }
        return String.join(":", parts);
    }

    @Override
    public String toString() {
        return String.join(" with ", names);
    }
}
