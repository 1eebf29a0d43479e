package io.psf.simulation.agent;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The code in the place of a synchronized method: enters the monitor, calls the method's body, and exits. */
final class LockedMethod {
    private LockedMethod() {}

    static void write(MethodVisitor code, String owner, boolean isStatic, String body, String descriptor) {
        Label begin = new Label();
        Label end = new Label();
        Label failed = new Label();
        code.visitCode();
        code.visitTryCatchBlock(begin, end, failed, null);
        monitor(code, owner, isStatic, "enter");
        code.visitLabel(begin);
        List<Object> locals = new ArrayList<>();
        int at = 0;
        if (!isStatic) {
            code.visitVarInsn(Opcodes.ALOAD, at++);
            locals.add(owner);
        }
        for (Type each : Type.getArgumentTypes(descriptor)) {
            code.visitVarInsn(each.getOpcode(Opcodes.ILOAD), at);
            at += each.getSize();
            locals.add(frameType(each));
        }
        code.visitMethodInsn(isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL, owner, body, descriptor, false);
        code.visitLabel(end);
        monitor(code, owner, isStatic, "exit");
        code.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
        code.visitLabel(failed);
        code.visitFrame(Opcodes.F_NEW, locals.size(), locals.toArray(), 1, new Object[] {"java/lang/Throwable"});
        monitor(code, owner, isStatic, "exit");
        code.visitInsn(Opcodes.ATHROW);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private static void monitor(MethodVisitor code, String owner, boolean isStatic, String hook) {
        if (isStatic) {
            code.visitLdcInsn(Type.getObjectType(owner));
        } else {
            code.visitVarInsn(Opcodes.ALOAD, 0);
        }
        PsfMethod.hook(code, hook, "(Ljava/lang/Object;)V");
    }

    static Object frameType(Type type) {
        return switch (type.getSort()) {
            case Type.BOOLEAN, Type.BYTE, Type.CHAR, Type.SHORT, Type.INT -> Opcodes.INTEGER;
            case Type.LONG -> Opcodes.LONG;
            case Type.FLOAT -> Opcodes.FLOAT;
            case Type.DOUBLE -> Opcodes.DOUBLE;
            default -> type.getInternalName();
        };
    }
}
