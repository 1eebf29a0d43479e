package io.psf.simulation.agent;

import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Rewrites a method of psf: clocks, threads, time limits, random numbers and monitors. */
final class PsfMethod extends MethodVisitor {
    private static final String HOOKS = "io/psf/simulation/machine/Hooks";
    private static final String THREAD = "java/lang/Thread";
    private static final String OBJECT = "Ljava/lang/Object;";

    /** Static methods that a hook replaces, and methods whose object becomes the hook's first argument. */
    private static final Map<String, Set<String>> REPLACED = Map.of(
            "java/lang/System", Set.of("nanoTime", "currentTimeMillis"),
            "java/time/Instant", Set.of("now"),
            "java/nio/channels/FileChannel", Set.of("tryLock"),
            "java/util/concurrent/TimeUnit", Set.of("timedWait"),
            "java/lang/Runtime", Set.of("addShutdownHook", "removeShutdownHook"),
            "java/util/concurrent/Executors", Set.of("newFixedThreadPool"),
            "java/util/concurrent/CompletableFuture", Set.of("orTimeout", "completeOnTimeout", "delayedExecutor"),
            "java/security/SecureRandom", Set.of("nextLong", "nextBytes", "nextInt"),
            "java/util/concurrent/ThreadLocalRandom", Set.of("nextLong", "nextBytes", "nextInt"));

    private static final Set<String> OF_MONITORS = Set.of("wait()V", "wait(J)V", "notify()V", "notifyAll()V");

    /** Methods of the JDK with one of these names are replaced only with these arguments. */
    private static final Map<String, Set<String>> ONLY = Map.of(
            "now", Set.of("()Ljava/time/Instant;"),
            "tryLock", Set.of("()Ljava/nio/channels/FileLock;"),
            "newFixedThreadPool", Set.of("(I)Ljava/util/concurrent/ExecutorService;"),
            "delayedExecutor",
                    Set.of("(JLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/Executor;)"
                            + "Ljava/util/concurrent/Executor;"),
            "nextLong", Set.of("()J", "(JJ)J"),
            "nextInt", Set.of("(I)I"));

    /** Classes with code that relies on the order of single accesses. */
    private static final Set<String> WITH_POINTS = Set.of(
            "io/psf/runtime/internal/call/CallParts",
            "io/psf/runtime/internal/call/Peer",
            "io/psf/runtime/internal/server/lane/Lane",
            "io/psf/runtime/internal/server/lane/TurnQueue",
            "io/psf/runtime/internal/server/session/Answers",
            "io/psf/runtime/internal/transport/shm/Ring",
            "io/psf/runtime/internal/transport/shm/RingReader",
            "io/psf/runtime/internal/transport/shm/RingWriter");

    private final boolean hasPoints;

    PsfMethod(MethodVisitor to, String owner) {
        super(Rewriter.ASM, to);
        this.hasPoints = WITH_POINTS.contains(owner);
    }

    private void point() {
        if (hasPoints) {
            hook(mv, "point", "()V");
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        point();
        super.visitFieldInsn(opcode, owner, name, descriptor);
    }

    static void hook(MethodVisitor code, String name, String descriptor) {
        code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, name, descriptor, false);
    }

    private static boolean isReplaced(String owner, String name, String descriptor) {
        return REPLACED.getOrDefault(owner, Set.of()).contains(name)
                && ONLY.getOrDefault(name, Set.of(descriptor)).contains(descriptor);
    }

    /** Returns the descriptor of a hook that takes the object of a call as its first argument. */
    private static String withObject(int opcode, String owner, String descriptor) {
        if (opcode == Opcodes.INVOKESTATIC) {
            return descriptor;
        }
        String first = owner.endsWith("Random") ? "Ljava/util/Random;" : "L" + owner + ";";
        return "(" + first + descriptor.substring(1);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (opcode == Opcodes.INVOKEVIRTUAL && OF_MONITORS.contains(name + descriptor)) {
            hook(mv, name, "(" + OBJECT + descriptor.substring(1));
        } else if (isReplaced(owner, name, descriptor)) {
            hook(mv, name, withObject(opcode, owner, descriptor));
        } else {
            if (owner.startsWith("java/util/concurrent/") || owner.equals("java/lang/invoke/VarHandle")) {
                point();
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            if (opcode == Opcodes.INVOKESPECIAL && owner.equals(THREAD) && name.equals("<init>")) {
                hook(mv, "thread", "(Ljava/lang/Thread;)Ljava/lang/Thread;");
            }
        }
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
            hook(mv, opcode == Opcodes.MONITORENTER ? "enter" : "exit", "(" + OBJECT + ")V");
        } else {
            super.visitInsn(opcode);
        }
    }

    /** A reference to a method, such as {@code System::nanoTime}. */
    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        Object[] rewritten = arguments.clone();
        for (int i = 0; i < rewritten.length; i++) {
            if (rewritten[i] instanceof Handle handle
                    && handle.getTag() == Opcodes.H_INVOKESTATIC
                    && isReplaced(handle.getOwner(), handle.getName(), handle.getDesc())) {
                rewritten[i] = new Handle(Opcodes.H_INVOKESTATIC, HOOKS, handle.getName(), handle.getDesc(), false);
            }
        }
        super.visitInvokeDynamicInsn(name, descriptor, bootstrap, rewritten);
    }
}
