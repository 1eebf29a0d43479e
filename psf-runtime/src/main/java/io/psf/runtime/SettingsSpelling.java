package io.psf.runtime;

import io.psf.api.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One way to give a setting: a variable, or a host and a port in two variables.
 *
 * @param names the variables, one or two
 * @param defaults the value of each variable if only the other one is set; empty if both are required
 * @param role the only role that reads the setting; null if all do
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

    /**
     * Returns the spelling of an address to listen on. The defaults are loopback and a port that the system chooses.
     */
    static SettingsSpelling listen(String host, String port, Role role) {
        return new SettingsSpelling(List.of(host, port), List.of("127.0.0.1", "0"), role);
    }

    boolean isReadBy(@Nullable Role reader) {
        return role == null || role == reader;
    }

    @Override
    public String toString() {
        return String.join(" with ", names);
    }
}
