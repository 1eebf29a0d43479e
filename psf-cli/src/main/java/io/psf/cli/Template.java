package io.psf.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fills in a file of the folder {@code new} beside this class: <code>{{word}}</code> is replaced by the word's value.
 */
final class Template {
    private static final Pattern BLANK = Pattern.compile("\\{\\{([A-Za-z0-9-]+)}}");

    private Template() {}

    /**
     * Returns a template's text with its words and the versions of this build.
     *
     * @param name the file's name, without {@code .txt}
     * @param words the values by word
     */
    static String filled(String name, Map<String, String> words) {
        Properties values = versions();
        values.putAll(words);
        try (InputStream in = resource("new/" + name + ".txt")) {
            return BLANK.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .replaceAll(blank -> Matcher.quoteReplacement(
                            Objects.requireNonNull(values.getProperty(blank.group(1)), blank.group(1))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** True if this build is a release, whose artifacts are published. */
    static boolean isOfRelease() {
        return !versions().getProperty("psf", "").endsWith("-SNAPSHOT");
    }

    private static Properties versions() {
        Properties versions = new Properties();
        try (InputStream in = resource("versions.properties")) {
            versions.load(in);
            return versions;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(Template.class.getResourceAsStream(name), name);
    }
}
