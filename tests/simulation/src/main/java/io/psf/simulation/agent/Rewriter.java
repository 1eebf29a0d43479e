package io.psf.simulation.agent;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Rewrites a class: what would depend on the machine's real time and real threads calls {@code Hooks} instead. */
final class Rewriter extends ClassVisitor {
    static final int ASM = Opcodes.ASM9;

    private final boolean isOfPsf;
    private String name = "";
    private boolean isInterface;

    private Rewriter(ClassVisitor to, boolean isOfPsf) {
        super(ASM, to);
        this.isOfPsf = isOfPsf;
    }

    static byte[] ofPsf(byte[] bytes) {
        return rewritten(bytes, true);
    }

    /** The JDK keeps its methods and its monitors: a class that is loaded already cannot change its shape. */
    static byte[] ofJdk(byte[] bytes) {
        return rewritten(bytes, false);
    }

    private static byte[] rewritten(byte[] bytes, boolean isOfPsf) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Rewriter(writer, isOfPsf), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    @Override
    public void visit(
            int version,
            int access,
            String name,
            @Nullable String signature,
            @Nullable String superName,
            String @Nullable [] interfaces) {
        this.name = name;
        this.isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String method, String descriptor, @Nullable String signature, String @Nullable [] exceptions) {
        boolean isLocked = isOfPsf && (access & Opcodes.ACC_SYNCHRONIZED) != 0 && !isInterface;
        if (!isLocked) {
            MethodVisitor to = super.visitMethod(access, method, descriptor, signature, exceptions);
            return isOfPsf ? planted(new PsfMethod(to, name), method, access, descriptor) : new JdkMethod(to, name);
        }
        boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
        String body = method + "$locked";
        LockedMethod.write(
                super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, method, descriptor, signature, exceptions),
                name,
                isStatic,
                body,
                descriptor);
        int hidden = Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC | (isStatic ? Opcodes.ACC_STATIC : 0);
        PsfMethod moved = new PsfMethod(super.visitMethod(hidden, body, descriptor, null, exceptions), name);
        return planted(moved, method, access, descriptor);
    }

    private MethodVisitor planted(MethodVisitor to, String method, int access, String descriptor) {
        MethodVisitor all = to;
        for (Plant each : Plant.of(name)) {
            if (each.method().equals(method)) {
                all = new PlantedMethod(cv, all, each, name, (access & Opcodes.ACC_STATIC) != 0, descriptor);
            }
        }
        return all;
    }
}
