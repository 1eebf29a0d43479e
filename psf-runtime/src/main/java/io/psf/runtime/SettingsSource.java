package io.psf.runtime;

import io.psf.api.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** A set of variables and its source: the environment, a file, or a command line. An empty value counts as not set. */
final class SettingsSource {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsSource.class);

    private final String place;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final boolean misspelled;

    /** Reads variables that are mixed with unrelated ones. Only a probable misspelling of a psf name is rejected. */
    static SettingsSource ofEnvironment(String place, Map<String, String> variables) {
        return new SettingsSource(place, variables, false);
    }

    /** Reads a YAML file of one level. Each key must be known. Every value is taken as it is written. */
    static SettingsSource ofYaml(Path file) {
        Map<String, String> values = new LinkedHashMap<>();
        compose(file).ifPresent(document -> {
            if (!(document instanceof MappingNode map)) {
                throw SettingsErrors.invalid("%s: not a map (expected: YAML, one KEY: value a line)".formatted(file));
            }
            for (NodeTuple entry : map.getValue()) {
                String key = text(entry.getKeyNode(), file);
                if (values.put(key, text(entry.getValueNode(), file)) != null) {
                    throw SettingsErrors.invalid("%s: given twice in %s (expected: once)".formatted(key, file));
                }
            }
        });
        return new SettingsSource(file.toString(), values, true);
    }

    private static Optional<Node> compose(Path file) {
        try {
            LoadSettings settings =
                    LoadSettings.builder().setLabel(file.toString()).build();
            return new Compose(settings).composeString(Files.readString(file));
        } catch (IOException e) {
            throw SettingsErrors.invalid(
                    "%s: %s (expected: a YAML file that can be read)".formatted(file, reason(e)), e);
        } catch (YamlEngineException e) {
            String problem =
                    String.valueOf(e.getMessage()).replaceAll("\\s+", " ").trim();
            throw SettingsErrors.invalid("%s: %s (expected: YAML, one KEY: value a line)".formatted(file, problem), e);
        }
    }

    private static String text(Node node, Path file) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        String line = node.getStartMark()
                .map(mark -> ", line " + (mark.getLine() + 1))
                .orElse("");
        throw SettingsErrors.invalid("%s%s: a list or a map (expected: one value)".formatted(file, line));
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "no such file" : e.toString();
    }

    private SettingsSource(String place, Map<String, String> variables, boolean allKnown) {
        this.place = place;
        variables.forEach((name, value) -> {
            SettingsNames.check(name, place, allKnown);
            if (!value.isBlank()) {
                values.put(name, value.trim());
            }
        });
        String post = values.get(SettingsNames.POST);
        this.misspelled = post != null && !values.containsKey(SettingsNames.PORT);
        if (post != null) {
            LOG.warn(
                    "{}: {} is a misspelling of {}, accepted in {}",
                    SettingsNames.POST,
                    post,
                    SettingsNames.PORT,
                    place);
            String port = values.putIfAbsent(SettingsNames.PORT, post);
            if (port != null && !port.equals(post)) {
                throw SettingsErrors.contradiction(SettingsNames.PORT, port, SettingsNames.POST, post, place);
            }
        }
    }

    /** Returns the source of the variables, for messages. */
    String place() {
        return place;
    }

    /** Returns the value of a variable; null if it is not set. */
    @Nullable
    String get(String name) {
        return values.get(name);
    }

    /** Returns the name under which a variable was given. */
    String written(String name) {
        return misspelled && name.equals(SettingsNames.PORT) ? SettingsNames.POST : name;
    }

    /** Returns a setting's text in one spelling; null if it is not set. */
    private @Nullable String read(SettingsSpelling spelling) {
        List<String> names = spelling.names();
        List<String> defaults = spelling.defaults();
        if (names.stream().allMatch(name -> get(name) == null)) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String part = get(names.get(i));
            if (part == null && defaults.isEmpty()) {
                throw SettingsErrors.invalid("%s: not set, while %s is %s in %s (expected: both, or neither)"
                        .formatted(names.get(i), written(names.get(1 - i)), get(names.get(1 - i)), place));
            }
            parts.add(part == null ? defaults.get(i) : part);
        }
        if (parts.size() == 2 && parts.get(0).indexOf(':') >= 0 && !parts.get(0).startsWith("[")) {
            parts.set(0, "[" + parts.get(0) + "]");
        }
        return String.join(":", parts);
    }

    /** Returns the setting as given here; null if it is not set. Fails if two spellings of it differ. */
    <T> @Nullable T find(SettingsKey<T> key, @Nullable Role role) {
        T found = null;
        String foundText = "";
        String foundName = "";
        for (SettingsSpelling spelling : key.spellings()) {
            String text = spelling.isReadBy(role) ? read(spelling) : null;
            if (text == null) {
                continue;
            }
            String name = String.join(
                    " with ", spelling.names().stream().map(this::written).toList());
            T value = key.parse(name, text, place);
            if (found != null && !found.equals(value)) {
                throw SettingsErrors.contradiction(foundName, foundText, name, text, place);
            }
            if (found == null) {
                found = value;
                foundText = text;
                foundName = name;
            }
        }
        return found;
    }
}
