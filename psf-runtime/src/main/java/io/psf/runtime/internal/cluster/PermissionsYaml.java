package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads permissions from YAML. Whatever it does not know is an error: a misspelled word must not allow anything. */
final class PermissionsYaml {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final List<String> ROLES = List.of("server", "worker", "client", Rules.GUEST);
    private static final int TOKEN_LENGTH = 16;

    private final String file;
    private final boolean hasSecret;
    private final Map<String, Set<String>> groups = new LinkedHashMap<>(FunctionGroups.byName());

    private PermissionsYaml(String file, boolean hasSecret) {
        this.file = file;
        this.hasSecret = hasSecret;
    }

    /**
     * Reads permissions.
     *
     * @param file the name of the file, for messages
     * @param hasSecret true if the cluster has a secret
     * @throws PsException with {@code CONFIGURATION} if the text is wrong
     */
    static Permissions read(String file, String text, boolean hasSecret) {
        return new PermissionsYaml(file, hasSecret).document(text);
    }

    private Permissions document(String text) {
        Node root;
        try {
            LoadSettings settings = LoadSettings.builder().setLabel(file).build();
            Optional<Node> composed = new Compose(settings).composeString(text);
            root = composed.orElseThrow(() -> new PsException(
                    Code.CONFIGURATION, "PSF_PERMISSIONS: " + file + ": empty (expected: allow, a list)"));
        } catch (YamlEngineException e) {
            String problem =
                    String.valueOf(e.getMessage()).replaceAll("\\s+", " ").trim();
            throw new PsException(
                    Code.CONFIGURATION, "PSF_PERMISSIONS: " + file + ": " + problem + " (expected: YAML)", e);
        } catch (StackOverflowError e) {
            throw new PsException(
                    Code.CONFIGURATION, "PSF_PERMISSIONS: " + file + ": nested too deeply (expected: YAML)", e);
        }
        Map<String, Node> top = map(root, "groups and allow", List.of("groups", "allow"));
        Node own = top.get("groups");
        if (own != null) {
            map(own, "names of groups", null).forEach(this::group);
        }
        Node allow = top.get("allow");
        if (allow == null) {
            throw wrong(root, "no allow", "a list of entries");
        }
        List<Permission> permissions = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (Node each : list(allow, "a list of entries")) {
            Permission permission = permission(each);
            if (!names.add(permission.name())) {
                throw wrong(each, "name: " + permission.name() + ", a second time", "a name for each entry");
            }
            permissions.add(permission);
        }
        List<Rules.Rule> rules = permissions.stream().map(Permission::rule).toList();
        return new Permissions(permissions, new Rules(version(rules), rules));
    }

    /** Returns a number that other rules do not have; never 0. */
    private static long version(List<Rules.Rule> rules) {
        byte[] text = rules.toString().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.wrap(Ticket.hmac(new byte[1], text)).getLong() | 1;
    }

    private void group(String name, Node members) {
        if (!NAME.matcher(name).matches() || name.contains(".")) {
            throw wrong(members, "group: " + name, "letters, digits, - and _, at most 64");
        }
        if (groups.containsKey(name) || name.equals(FunctionGroups.ALL)) {
            throw wrong(members, "group: " + name, "another name than a built-in group has");
        }
        Set<String> functions = new LinkedHashSet<>();
        for (Node each : list(members, "a list of functions")) {
            functions.add(function(each));
        }
        groups.put(name, functions);
    }

    private String function(Node node) {
        String name = text(node, "the name of a function, such as com.example.score");
        if (!name.contains(".") || FunctionGroups.MEMBERSHIP.contains(name)) {
            throw wrong(node, "function: " + name, "the name of a function, such as com.example.score");
        }
        boolean isOwn = name.startsWith("psf.");
        if (isOwn && groups.values().stream().noneMatch(group -> group.contains(name))) {
            throw wrong(node, "function: " + name, "a function of psf that exists");
        }
        return name;
    }

    private Permission permission(Node entry) {
        Map<String, Node> keys = map(entry, "an entry", List.of("name", "token", "certificate", "roles", "functions"));
        Node named = require(entry, keys, "name");
        String name = text(named, "a name");
        if (!NAME.matcher(name).matches()) {
            throw wrong(named, "name: " + name, "letters, digits, '.', - and _, at most 64");
        }
        Node token = keys.get("token");
        String secret = token == null ? null : text(token, "a token");
        if (token != null && secret != null && secret.length() < TOKEN_LENGTH) {
            throw wrong(token, "token: " + secret.length() + " characters", "at least " + TOKEN_LENGTH);
        }
        Node certificate = keys.get("certificate");
        String pattern = certificate == null ? null : text(certificate, "the name in a certificate");
        if (certificate != null && pattern != null && pattern.isEmpty()) {
            throw wrong(certificate, "certificate: empty", "the name in a certificate, in which * is any characters");
        }
        if (secret == null && pattern == null && !hasSecret) {
            throw wrong(entry, name + ": neither token nor certificate", "one of them, or PSF_SECRET at the scheduler");
        }
        List<String> roles = new ArrayList<>();
        for (Node each : list(require(entry, keys, "roles"), "a list of roles")) {
            String role = text(each, "a role");
            if (!ROLES.contains(role)) {
                throw wrong(each, "role: " + role, String.join(", ", ROLES));
            }
            roles.add(role);
        }
        boolean all = false;
        Set<String> functions = new TreeSet<>();
        for (Node each : list(require(entry, keys, "functions"), "a list of groups and functions")) {
            String given = text(each, "a group or a function");
            if (given.equals(FunctionGroups.ALL)) {
                all = true;
            } else if (given.contains(".")) {
                functions.add(function(each));
            } else {
                Set<String> group = groups.get(given);
                if (group == null) {
                    throw wrong(each, "group: " + given, String.join(", ", groups.keySet()) + ", all");
                }
                functions.addAll(group);
            }
        }
        return new Permission(secret, pattern, new Rules.Rule(name, roles, all, List.copyOf(functions)));
    }

    private Node require(Node entry, Map<String, Node> keys, String key) {
        Node found = keys.get(key);
        if (found == null) {
            throw wrong(entry, "an entry without " + key, "name, roles and functions");
        }
        return found;
    }

    /**
     * Returns the entries of a map.
     *
     * @param known the keys that it may have; null for any
     */
    private Map<String, Node> map(Node node, String what, @Nullable List<String> known) {
        requirePlain(node);
        if (!(node instanceof MappingNode map)) {
            throw wrong(node, "not a map", "a map with " + what);
        }
        Map<String, Node> entries = new LinkedHashMap<>();
        for (NodeTuple entry : map.getValue()) {
            String key = text(entry.getKeyNode(), "a key");
            if (known != null && !known.contains(key)) {
                throw wrong(entry.getKeyNode(), "key: " + key, String.join(", ", known));
            }
            if (entries.put(key, entry.getValueNode()) != null) {
                throw wrong(entry.getKeyNode(), "key: " + key + ", a second time", "once");
            }
        }
        return entries;
    }

    private List<Node> list(Node node, String expected) {
        requirePlain(node);
        if (!(node instanceof SequenceNode list) || list.getValue().isEmpty()) {
            throw wrong(node, node instanceof SequenceNode ? "an empty list" : "not a list", expected);
        }
        return list.getValue();
    }

    private String text(Node node, String expected) {
        requirePlain(node);
        if (!(node instanceof ScalarNode scalar)) {
            throw wrong(node, "a list or a map", expected);
        }
        return scalar.getValue();
    }

    private void requirePlain(Node node) {
        if (node.getAnchor().isPresent()) {
            throw wrong(node, "an anchor or an alias", "the value itself");
        }
    }

    private PsException wrong(Node node, String given, String expected) {
        String line = node.getStartMark()
                .map(mark -> ", line " + (mark.getLine() + 1))
                .orElse("");
        return new PsException(
                Code.CONFIGURATION, "PSF_PERMISSIONS: " + file + line + ": " + given + " (expected: " + expected + ")");
    }
}
