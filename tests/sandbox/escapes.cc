// Tries to get out of a sandbox, in as many ways as there are entries of kEscapes, and tells of
// each whether it was held. Runs as the command of a sandbox; needs nothing but the system, so that
// it can be linked statically.
//
//   escapes           tries all
//   escapes NAME ...  tries these
//   escapes --list    names all
//
// Exit code: 0 if all were held, 1 if one got out, 2 for a wrong command line. One line an attempt:
// "NAME held: why", "NAME OUT: what", or "NAME skipped: why" if what it attacks was not named.
//
// What is attacked, by the environment:
//   ESCAPES_OUTSIDE    a file outside that its user may write
//   ESCAPES_FOLDER     a folder outside that its user may write; has an empty folder "empty"
//   ESCAPES_WORKSPACE  the workspace; has .git, .vscode, .envrc and .mcp.json
//   ESCAPES_SECRET     a file that must not be readable, anywhere
//   ESCAPES_IGNORED    one in a folder of the workspace
//   ESCAPES_TMP        a file in /tmp of the machine
//   ESCAPES_SOCKET     a unix socket, by path, of a server outside in a hidden place
//   ESCAPES_ABSTRACT   an abstract one
//   ESCAPES_PORT       a TCP port of the loopback outside
//   ESCAPES_PID        a process outside
//   ESCAPES_SHM        a System V shared memory outside
//
// An attempt that gets out does no harm: it writes what was there already, or puts it back, and
// calls that cannot be undone are made with arguments that no kernel takes.

#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Of <sys/mount.h>, which does not go together with <linux/mount.h>.
extern "C" int mount(const char* source, const char* target, const char* type, unsigned long flags,
                     const void* data) noexcept;
extern "C" int umount2(const char* target, int flags) noexcept;

namespace {

#ifdef SYS_fchmodat2
constexpr long kFchmodat2 = SYS_fchmodat2;
#else
constexpr long kFchmodat2 = 452;
#endif
// Newer than the headers of many systems; the same number on all machines.
constexpr long kSetxattrat = 463;
constexpr long kOpenTreeAttr = 467;
constexpr int kDetach = 2;  // MNT_DETACH
constexpr int kExpire = 4;  // MNT_EXPIRE: the first call only marks, and answers EAGAIN

struct Outcome {
  enum class Kind : char { kHeld = 'H', kOut = 'O', kSkipped = 'S' };
  Kind kind = Kind::kHeld;
  std::string what{};
};

Outcome Held(std::string why) { return {Outcome::Kind::kHeld, std::move(why)}; }
Outcome Out(std::string what) { return {Outcome::Kind::kOut, std::move(what)}; }
Outcome Skipped(std::string why) { return {Outcome::Kind::kSkipped, std::move(why)}; }
Outcome HeldByError() { return Held(std::strerror(errno)); }

// Of a system call that got out if it worked.
Outcome Judge(long result, const std::string& what) {
  return result < 0 ? HeldByError() : Out(what);
}

// Of a call whose arguments no kernel takes: held only if it was refused before it looked at them.
Outcome JudgeRefusal(long result) {
  if (result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES)) return HeldByError();
  return Out(result < 0 ? std::string("the call is open, it says: ") + std::strerror(errno)
                        : "the call is open");
}

// Of open(2) and the like.
Outcome JudgeOpened(int fd, const std::string& what) {
  if (fd < 0) return HeldByError();
  ::close(fd);
  return Out(what);
}

std::string Variable(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Outside() { return Variable("ESCAPES_OUTSIDE"); }
std::string Secret() { return Variable("ESCAPES_SECRET"); }
std::string Ignored() { return Variable("ESCAPES_IGNORED"); }
std::string OutsideNew() { return Variable("ESCAPES_FOLDER") + "/escapes-new"; }
std::string InWorkspace(const char* relative) {
  return Variable("ESCAPES_WORKSPACE") + "/" + relative;
}
pid_t OutsidePid() { return static_cast<pid_t>(::atoi(Variable("ESCAPES_PID").c_str())); }
std::string OutsideProcess(const char* file) {
  return "/proc/" + Variable("ESCAPES_PID") + "/" + file;
}
std::string ParentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }
bool Exists(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

struct stat StatOf(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) found = {};
  return found;
}

std::string ReadFd(int fd) {
  std::string text;
  std::array<char, 4096> bytes{};
  ssize_t size = 0;
  while (text.size() < (1U << 20) && (size = ::read(fd, bytes.data(), bytes.size())) > 0) {
    text.append(bytes.data(), static_cast<size_t>(size));
  }
  return text;
}

std::string ReadFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  std::string text = ReadFd(fd);
  const int error = errno;
  ::close(fd);
  errno = error;
  return text;
}

bool WriteFile(const std::string& path, const std::string& text, mode_t mode = 0600) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

// A file or folder of the workspace that is gone at the end.
class Scratch {
 public:
  enum class Kind { kFile, kFolder, kNothing };
  explicit Scratch(Kind kind, const char* name = "escapes-scratch") : path_(InWorkspace(name)) {
    if (kind == Kind::kFile) WriteFile(path_, "scratch\n");
    if (kind == Kind::kFolder) ::mkdir(path_.c_str(), 0700);
  }
  ~Scratch() {
    const int error = errno;
    if (::unlink(path_.c_str()) != 0) ::rmdir(path_.c_str());
    errno = error;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

// --- Writes outside ---

Outcome OpenForWriting(const std::string& path) {
  return JudgeOpened(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                     path + " is open for writing");
}

Outcome OpenDevice(const char* path, int flags = O_RDWR) {
  return JudgeOpened(::open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                     std::string(path) + " is open");
}

Outcome OpenWrite() { return OpenForWriting(Outside()); }

Outcome OpenAppend() {
  return JudgeOpened(::open(Outside().c_str(), O_RDWR | O_APPEND | O_CLOEXEC),
                     "open for appending");
}

Outcome CreateAt(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return HeldByError();
  ::close(fd);
  ::unlink(path.c_str());
  return Out("made " + path);
}

Outcome OpenCreate() { return CreateAt(OutsideNew()); }

Outcome Creat() {
  const int fd = ::creat(OutsideNew().c_str(), 0600);
  if (fd >= 0) ::unlink(OutsideNew().c_str());
  return JudgeOpened(fd, "made a file");
}

Outcome OpenTruncate() {
  const std::string text = ReadFile(Outside());
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_TRUNC | O_CLOEXEC);
  if (fd >= 0) WriteFile(Outside(), text);
  return JudgeOpened(fd, "the file was cut");
}

Outcome Openat2Write() {
  open_how how{};
  how.flags = O_WRONLY | O_CLOEXEC;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, Outside().c_str(), &how, sizeof(how));
  return JudgeOpened(static_cast<int>(fd), "openat2 gives a file for writing");
}

Outcome OpenTemporary() {
  const std::string folder = Variable("ESCAPES_FOLDER");
  return JudgeOpened(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
                     "a file without a name outside");
}

Outcome Truncate() {
  const auto size = StatOf(Outside()).st_size;
  return Judge(::truncate(Outside().c_str(), size), "truncate works");
}

Outcome Rename() {
  const int result = ::rename(Outside().c_str(), OutsideNew().c_str());
  if (result == 0) ::rename(OutsideNew().c_str(), Outside().c_str());
  return Judge(result, "the file was renamed");
}

Outcome RenameExchange() {
  const Scratch own(Scratch::Kind::kFile);
  const auto exchange = [&own] {
    return ::syscall(SYS_renameat2, AT_FDCWD, Outside().c_str(), AT_FDCWD, own.path(),
                     RENAME_EXCHANGE);
  };
  const long result = exchange();
  if (result == 0) exchange();
  return Judge(result, "the file changed places with one of the workspace");
}

Outcome RenameOut() {
  const Scratch own(Scratch::Kind::kFile);
  const int result = ::rename(own.path(), OutsideNew().c_str());
  if (result == 0) ::unlink(OutsideNew().c_str());
  return Judge(result, "a file of the workspace is outside");
}

Outcome LinkTo(const std::string& from, const std::string& to) {
  const int result = ::link(from.c_str(), to.c_str());
  if (result == 0) ::unlink(to.c_str());
  return Judge(result, from + " has the second name " + to);
}

Outcome LinkOutside() { return LinkTo(Outside(), OutsideNew()); }
Outcome LinkIn() { return LinkTo(Outside(), InWorkspace("escapes-link")); }

Outcome LinkOut() {
  const Scratch own(Scratch::Kind::kFile);
  return LinkTo(own.path(), OutsideNew());
}

Outcome LinkOfDescriptor() {
  const int fd = ::open(Outside().c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const Scratch own(Scratch::Kind::kNothing);
  return Judge(::linkat(AT_FDCWD, path.c_str(), AT_FDCWD, own.path(), AT_SYMLINK_FOLLOW),
               "a name in the workspace by /proc/self/fd");
}

Outcome LinkOfEmptyPath() {
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  const Scratch own(Scratch::Kind::kNothing);
  return Judge(::linkat(fd, "", AT_FDCWD, own.path(), AT_EMPTY_PATH),
               "a name in the workspace by a descriptor");
}

Outcome Symlink() {
  const int result = ::symlink("nowhere", OutsideNew().c_str());
  if (result == 0) ::unlink(OutsideNew().c_str());
  return Judge(result, "made a symbolic link");
}

Outcome WriteThroughSymlink() {
  const Scratch own(Scratch::Kind::kNothing);
  if (::symlink(Outside().c_str(), own.path()) != 0) return HeldByError();
  return OpenForWriting(own.path());
}

Outcome Unlink() {
  const std::string text = ReadFile(Outside());
  const mode_t mode = StatOf(Outside()).st_mode & 07777;
  const int result = ::unlink(Outside().c_str());
  if (result == 0) WriteFile(Outside(), text, mode);
  return Judge(result, "the file was removed");
}

Outcome MakeFolder() {
  const int result = ::mkdir(OutsideNew().c_str(), 0700);
  if (result == 0) ::rmdir(OutsideNew().c_str());
  return Judge(result, "made a folder");
}

Outcome RemoveFolder() {
  const std::string folder = Variable("ESCAPES_FOLDER") + "/empty";
  if (!Exists(folder)) return Skipped("there is no " + folder);
  const int result = ::rmdir(folder.c_str());
  if (result == 0) ::mkdir(folder.c_str(), 0700);
  return Judge(result, "removed a folder");
}

mode_t OutsideMode() { return StatOf(Outside()).st_mode & 07777; }

Outcome Chmod() { return Judge(::chmod(Outside().c_str(), OutsideMode()), "chmod works"); }

Outcome Fchmod() {
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_CLOEXEC);
  return fd < 0 ? HeldByError() : Judge(::fchmod(fd, OutsideMode()), "fchmod works");
}

Outcome Fchmodat() {
  return Judge(::fchmodat(AT_FDCWD, Outside().c_str(), OutsideMode(), 0), "fchmodat works");
}

Outcome Fchmodat2() {
  return Judge(::syscall(kFchmodat2, AT_FDCWD, Outside().c_str(), OutsideMode(), 0),
               "fchmodat2 works");
}

Outcome Chown() {
  return Judge(::chown(Outside().c_str(), ::getuid(), static_cast<gid_t>(-1)), "chown works");
}

Outcome Fchown() {
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_CLOEXEC);
  return fd < 0 ? HeldByError()
                : Judge(::fchown(fd, ::getuid(), static_cast<gid_t>(-1)), "fchown works");
}

std::array<timespec, 2> OutsideTimes() {
  const struct stat found = StatOf(Outside());
  return {found.st_atim, found.st_mtim};
}

Outcome Utimensat() {
  return Judge(::utimensat(AT_FDCWD, Outside().c_str(), OutsideTimes().data(), 0),
               "utimensat works");
}

Outcome Futimens() {
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_CLOEXEC);
  return fd < 0 ? HeldByError() : Judge(::futimens(fd, OutsideTimes().data()), "futimens works");
}

Outcome Setxattr() {
  const int result = ::setxattr(Outside().c_str(), "user.escapes", "1", 1, 0);
  if (result == 0) ::removexattr(Outside().c_str(), "user.escapes");
  return Judge(result, "setxattr works");
}

Outcome Fsetxattr() {
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  const int result = ::fsetxattr(fd, "user.escapes", "1", 1, 0);
  if (result == 0) ::fremovexattr(fd, "user.escapes");
  return Judge(result, "fsetxattr works");
}

Outcome Setxattrat() {
  struct {
    uint64_t value;
    uint32_t size;
    uint32_t flags;
  } arguments{reinterpret_cast<uint64_t>("1"), 1, 0};
  const long result = ::syscall(kSetxattrat, AT_FDCWD, Outside().c_str(), 0, "user.escapes",
                                &arguments, sizeof(arguments));
  if (result == 0) ::removexattr(Outside().c_str(), "user.escapes");
  return Judge(result, "setxattrat works");
}

Outcome SetFileFlags() {
  const int fd = ::open(Outside().c_str(), O_RDONLY | O_CLOEXEC);
  int flags = 0;
  if (fd < 0 || ::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return HeldByError();
  return Judge(::ioctl(fd, FS_IOC_SETFLAGS, &flags), "the flags of the file can be set");
}

Outcome MakeFifo() {
  const int result = ::mkfifo(OutsideNew().c_str(), 0600);
  if (result == 0) ::unlink(OutsideNew().c_str());
  return Judge(result, "made a named pipe");
}

// Only the node is made; it is never opened.
Outcome MakeDisk() {
  const Scratch node(Scratch::Kind::kNothing);
  return Judge(::mknod(node.path(), S_IFBLK | 0600, StatOf("/").st_dev), "made a node of the disk");
}

Outcome MakeMemoryDevice() {
  const Scratch node(Scratch::Kind::kNothing);
  return Judge(::mknod(node.path(), S_IFCHR | 0600, static_cast<dev_t>((1U << 8) | 1U)),
               "made a node of the memory");
}

Outcome BindSocketOutside() {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof(address.sun_path), "%s", OutsideNew().c_str());
  const int result = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (result == 0) ::unlink(address.sun_path);
  return Judge(result, "made a socket");
}

Outcome WriteEtcPasswd() { return OpenForWriting("/etc/passwd"); }
Outcome WriteHome() { return CreateAt(Variable("HOME") + "/escapes-new"); }

Outcome WriteSharedFolders() {
  for (const char* folder :
       {"/var/tmp", "/run/lock", "/var/lock", "/var/crash", "/usr/local/bin"}) {
    const Outcome outcome = CreateAt(std::string(folder) + "/escapes-new");
    if (outcome.kind == Outcome::Kind::kOut) return outcome;
  }
  return Held("none can be written");
}

Outcome OpenByHandle() {
  alignas(file_handle) std::array<char, sizeof(file_handle) + MAX_HANDLE_SZ> bytes{};
  auto* const handle = reinterpret_cast<file_handle*>(bytes.data());
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount_id = 0;
  if (::name_to_handle_at(AT_FDCWD, Outside().c_str(), handle, &mount_id, 0) != 0) {
    return HeldByError();
  }
  const int at = ::open(ParentOf(Outside()).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return JudgeOpened(::open_by_handle_at(at, handle, O_RDONLY | O_CLOEXEC), "a file by its handle");
}

// --- Mounts ---

unsigned long MountFlags(const char* path) {
  struct statvfs found {};
  if (::statvfs(path, &found) != 0) return 0;
  // These numbers are those of mount(2); ST_RELATIME is another one.
  unsigned long flags =
      found.f_flag & (ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC | ST_NOATIME | ST_NODIRATIME);
  if ((found.f_flag & ST_RELATIME) != 0) flags |= MS_RELATIME;
  return flags;
}

Outcome Remount(const std::string& path) {
  const unsigned long was = MountFlags(path.c_str());
  const auto remount = [&path](unsigned long flags) {
    return ::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | flags, nullptr);
  };
  const int result = remount(was & ~static_cast<unsigned long>(MS_RDONLY));
  if (result == 0) remount(was);
  return Judge(result, path + " was mounted for writing");
}

Outcome RemountRoot() { return Remount("/"); }
Outcome RemountGit() { return Remount(InWorkspace(".git")); }
Outcome RemountSysctl() { return Remount("/proc/sys"); }

Outcome MountAt(const char* source, const char* type, unsigned long flags, const char* data) {
  const Scratch at(Scratch::Kind::kFolder);
  const int result = ::mount(source, at.path(), type, flags, data);
  const int error = errno;
  if (result == 0) ::umount2(at.path(), kDetach);
  errno = error;
  return Judge(result, std::string("mounted ") + source);
}

Outcome MountBind() {
  return MountAt(Variable("ESCAPES_FOLDER").c_str(), nullptr, MS_BIND, nullptr);
}
Outcome MountTmpfs() { return MountAt("tmpfs", "tmpfs", 0, nullptr); }
Outcome MountProc() { return MountAt("proc", "proc", 0, nullptr); }
Outcome MountCgroup() { return MountAt("cgroup", "cgroup", 0, "none,name=escapes"); }

Outcome Unmount(const std::string& path) {
  const int result = ::umount2(path.c_str(), kExpire);
  const int error = errno;
  StatOf(path + "/.");  // takes the mark away
  if (result == 0 || error == EAGAIN || error == EBUSY) return Out(path + " can be unmounted");
  return Held(std::strerror(error));
}

Outcome UnmountProc() { return Unmount("/proc"); }
Outcome UnmountGit() { return Unmount(InWorkspace(".git")); }
Outcome UnmountSecret() { return Unmount(Secret()); }

Outcome PivotRoot() {
  return JudgeRefusal(::syscall(SYS_pivot_root, "/nonexistent-a", "/nonexistent-b"));
}

Outcome Chroot() { return Judge(::chroot("/"), "chroot works"); }

Outcome Fsopen() {
  return JudgeOpened(static_cast<int>(::syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC)),
                     "a new file system");
}

Outcome Fsmount() { return JudgeRefusal(::syscall(SYS_fsmount, -1, 0, 0)); }
Outcome MoveMount() { return JudgeRefusal(::syscall(SYS_move_mount, -1, "", -1, "", 0)); }

Outcome Fspick() {
  return JudgeOpened(static_cast<int>(::syscall(SYS_fspick, AT_FDCWD, "/", FSPICK_CLOEXEC)),
                     "the file system of / can be configured");
}

int OpenTree(const std::string& path) {
  return static_cast<int>(
      ::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

Outcome CloneTree() {
  return JudgeOpened(OpenTree(Variable("ESCAPES_FOLDER")), "a tree was cloned");
}

Outcome CloneTreeWithAttributes() {
  mount_attr attributes{};
  attributes.attr_clr = MOUNT_ATTR_RDONLY;
  return JudgeOpened(static_cast<int>(::syscall(
                         kOpenTreeAttr, AT_FDCWD, Variable("ESCAPES_FOLDER").c_str(),
                         OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC, &attributes, sizeof(attributes))),
                     "a tree was cloned");
}

Outcome MountSetattr() {
  const bool read_only = (MountFlags("/") & MS_RDONLY) != 0;
  mount_attr open{};
  open.attr_clr = MOUNT_ATTR_RDONLY;
  const long result = ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &open, sizeof(open));
  if (result == 0 && read_only) {
    mount_attr closed{};
    closed.attr_set = MOUNT_ATTR_RDONLY;
    ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &closed, sizeof(closed));
  }
  return JudgeRefusal(result);
}

// --- Namespaces ---

Outcome Unshare(int flag) { return Judge(::unshare(flag), "unshare works"); }
Outcome UnshareUser() { return Unshare(CLONE_NEWUSER); }
Outcome UnshareMount() { return Unshare(CLONE_NEWNS); }
Outcome UnshareNet() { return Unshare(CLONE_NEWNET); }
Outcome UnsharePid() { return Unshare(CLONE_NEWPID); }
Outcome UnshareUserAndMount() { return Unshare(CLONE_NEWUSER | CLONE_NEWNS); }

Outcome EndChild(long pid, const std::string& what) {
  if (pid == 0) ::_exit(0);
  const int error = errno;
  if (pid > 0) ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
  errno = error;
  return Judge(pid, what);
}

Outcome Clone(unsigned long flags) {
  return EndChild(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr),
                  "clone works");
}

Outcome CloneUser() { return Clone(CLONE_NEWUSER); }
Outcome CloneNet() { return Clone(CLONE_NEWNET); }
// The kernel passes the upper half by.
Outcome CloneUserHighBits() { return Clone(CLONE_NEWUSER | (1UL << 32)); }

Outcome Clone3(uint64_t flags) {
  clone_args arguments{};
  arguments.flags = flags;
  arguments.exit_signal = SIGCHLD;
  return EndChild(::syscall(SYS_clone3, &arguments, sizeof(arguments)), "clone3 works");
}

Outcome Clone3User() { return Clone3(CLONE_NEWUSER); }
Outcome Clone3Net() { return Clone3(CLONE_NEWNET); }

Outcome Setns(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return fd < 0 ? HeldByError() : Judge(::setns(fd, 0), "entered " + path);
}

Outcome SetnsMount() { return Setns("/proc/1/ns/mnt"); }
Outcome SetnsNet() { return Setns("/proc/1/ns/net"); }
Outcome SetnsPid() { return Setns("/proc/1/ns/pid"); }
Outcome SetnsUser() { return Setns("/proc/1/ns/user"); }
Outcome SetnsIpc() { return Setns("/proc/1/ns/ipc"); }

Outcome ParentNamespace(const char* kind, unsigned long request) {
  const int fd = ::open(kind, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  return JudgeOpened(::ioctl(fd, request), "has the namespace around its own");
}

Outcome ParentUserNamespace() { return ParentNamespace("/proc/self/ns/user", NS_GET_PARENT); }
Outcome ParentPidNamespace() { return ParentNamespace("/proc/self/ns/pid", NS_GET_PARENT); }

Outcome WriteUidMap() {
  const int fd = ::open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
  return fd < 0 ? HeldByError() : Judge(::write(fd, "0 0 1\n", 6), "wrote /proc/self/uid_map");
}

// --- /proc, /sys and devices ---

// Inside, a process may happen to have the number of the one outside: it has our variables.
bool IsOurs(pid_t pid) {
  const std::string environment = ReadFile("/proc/" + std::to_string(pid) + "/environ");
  return environment.find("ESCAPES_PID=") != std::string::npos;
}

Outcome WriteSelfRoot() { return OpenForWriting("/proc/self/root" + Outside()); }
Outcome WriteFirstRoot() { return OpenForWriting("/proc/1/root" + Outside()); }

Outcome OpenOfProcess(const char* file, int flags) {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return JudgeOpened(::open(OutsideProcess(file).c_str(), flags | O_CLOEXEC),
                     OutsideProcess(file) + " is open");
}

Outcome WriteProcessRoot() { return OpenOfProcess(("root" + Outside()).c_str(), O_WRONLY); }
Outcome ProcessMemory() { return OpenOfProcess("mem", O_RDWR); }
Outcome ProcessEnvironment() { return OpenOfProcess("environ", O_RDONLY); }
Outcome ProcessFolder() { return OpenOfProcess("cwd/.", O_RDONLY | O_DIRECTORY); }
Outcome ProcessNamespace() { return OpenOfProcess("ns/mnt", O_RDONLY); }

// Writes what is there already.
Outcome WriteSame(const char* path) {
  const std::string text = ReadFile(path);
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  const ssize_t size = ::write(fd, text.data(), text.size());
  return Judge(size, std::string("wrote ") + path);
}

Outcome Swappiness() { return WriteSame("/proc/sys/vm/swappiness"); }
Outcome CorePattern() { return WriteSame("/proc/sys/kernel/core_pattern"); }
Outcome ModprobePath() { return WriteSame("/proc/sys/kernel/modprobe"); }
Outcome MaxNamespaces() { return WriteSame("/proc/sys/user/max_user_namespaces"); }
Outcome LegacyTiocsti() { return WriteSame("/proc/sys/dev/tty/legacy_tiocsti"); }
Outcome BinfmtRegister() { return OpenForWriting("/proc/sys/fs/binfmt_misc/register"); }
Outcome SysrqTrigger() { return OpenForWriting("/proc/sysrq-trigger"); }
Outcome IrqAffinity() { return OpenForWriting("/proc/irq/default_smp_affinity"); }
Outcome Kcore() { return OpenDevice("/proc/kcore", O_RDONLY); }
Outcome Kmsg() { return OpenDevice("/proc/kmsg", O_RDONLY); }
Outcome HugePages() { return OpenForWriting("/sys/kernel/mm/transparent_hugepage/enabled"); }
Outcome UeventHelper() { return OpenForWriting("/sys/kernel/uevent_helper"); }
Outcome PowerState() { return OpenForWriting("/sys/power/state"); }
Outcome TraceMarker() { return OpenForWriting("/sys/kernel/tracing/trace_marker"); }
Outcome CgroupProcesses() { return OpenForWriting("/sys/fs/cgroup/cgroup.procs"); }

std::vector<std::string> NamesIn(const char* folder) {
  std::vector<std::string> names;
  DIR* const stream = ::opendir(folder);
  if (stream == nullptr) return names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(stream);
  return names;
}

Outcome ReleaseAgent() {
  std::vector<std::string> folders = {"/sys/fs/cgroup"};
  for (const std::string& name : NamesIn("/sys/fs/cgroup")) {
    folders.push_back("/sys/fs/cgroup/" + name);
  }
  for (const std::string& folder : folders) {
    Outcome outcome = OpenForWriting(folder + "/release_agent");
    if (outcome.kind == Outcome::Kind::kOut) return outcome;
  }
  return Held("none can be written");
}

Outcome DeviceMemory() { return OpenDevice("/dev/mem", O_RDONLY); }
Outcome DevicePort() { return OpenDevice("/dev/port", O_RDONLY); }
Outcome DeviceKmsg() { return OpenDevice("/dev/kmsg", O_WRONLY); }
Outcome DeviceFuse() { return OpenDevice("/dev/fuse"); }
Outcome DeviceKvm() { return OpenDevice("/dev/kvm"); }
Outcome DeviceLoop() { return OpenDevice("/dev/loop-control"); }
Outcome DeviceTun() { return OpenDevice("/dev/net/tun"); }
Outcome DeviceInput() { return OpenDevice("/dev/uinput"); }
Outcome DeviceVhost() { return OpenDevice("/dev/vhost-net"); }
Outcome DeviceUserfault() { return OpenDevice("/dev/userfaultfd"); }
Outcome DeviceConsole() { return OpenDevice("/dev/console"); }
Outcome DeviceTerminal() { return OpenDevice("/dev/tty1"); }
Outcome ControllingTerminal() { return OpenDevice("/dev/tty"); }

Outcome BlockDevices() {
  for (const std::string& name : NamesIn("/sys/class/block")) {
    Outcome outcome = OpenDevice(("/dev/" + name).c_str(), O_RDONLY);
    if (outcome.kind == Outcome::Kind::kOut) return outcome;
  }
  return Held("none can be read");
}

// --- Processes outside ---

Outcome KillOutside() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return Judge(::kill(OutsidePid(), 0), "a signal can be sent");
}

Outcome TgkillOutside() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return Judge(::syscall(SYS_tgkill, OutsidePid(), OutsidePid(), 0), "a signal can be sent");
}

Outcome PidfdOpen() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return JudgeOpened(static_cast<int>(::syscall(SYS_pidfd_open, OutsidePid(), 0)),
                     "has a descriptor of the process");
}

Outcome PtraceSeize() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return Judge(::ptrace(PTRACE_SEIZE, OutsidePid(), nullptr, nullptr), "traces the process");
}

// To address 0, where nothing is.
Outcome ProcessVmWritev() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  char byte = 0;
  iovec local{&byte, 1};
  iovec remote{nullptr, 1};
  const ssize_t size = ::process_vm_writev(OutsidePid(), &local, 1, &remote, 1, 0);
  return size < 0 && errno == ESRCH ? HeldByError() : JudgeRefusal(size);
}

Outcome Priority() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  const auto who = static_cast<id_t>(OutsidePid());
  errno = 0;
  const int was = ::getpriority(PRIO_PROCESS, who);
  if (errno != 0) return HeldByError();
  return Judge(::setpriority(PRIO_PROCESS, who, was), "the priority can be set");
}

Outcome Limits() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  rlimit limit{};
  return Judge(::prlimit(OutsidePid(), RLIMIT_CORE, nullptr, &limit), "its limits can be read");
}

Outcome SharedMemory() {
  const std::string id = Variable("ESCAPES_SHM");
  if (id.empty()) return Skipped("ESCAPES_SHM is not set");
  const void* const memory = ::shmat(::atoi(id.c_str()), nullptr, SHM_RDONLY);
  return Judge(memory == reinterpret_cast<void*>(-1) ? -1 : 0, "has the shared memory");
}

// --- The kernel ---

Outcome IoUring() {
  io_uring_params parameters{};
  return JudgeRefusal(::syscall(SYS_io_uring_setup, 1, &parameters));
}

Outcome Bpf() {
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 4;
  attributes.max_entries = 1;
  return JudgeRefusal(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes)));
}

Outcome PerfEvent() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  return JudgeRefusal(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

Outcome Userfaultfd() {
  constexpr int kUserModeOnly = 1;
  return JudgeRefusal(::syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly));
}

Outcome Keyring() {
  return JudgeRefusal(
      ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0, 0, 0));
}

Outcome AddKey() {
  return JudgeRefusal(::syscall(SYS_add_key, "user", "escapes", "1", 1, KEY_SPEC_PROCESS_KEYRING));
}

Outcome RequestKey() {
  return JudgeRefusal(::syscall(SYS_request_key, "user", "escapes-none", nullptr, 0));
}

// More segments than any kernel takes: nothing is loaded, nothing unloaded.
Outcome KexecLoad() { return JudgeRefusal(::syscall(SYS_kexec_load, 0, 1000, nullptr, 0)); }
Outcome InitModule() { return JudgeRefusal(::syscall(SYS_init_module, nullptr, 0, nullptr)); }
Outcome FinitModule() { return JudgeRefusal(::syscall(SYS_finit_module, -1, nullptr, 0)); }
Outcome DeleteModule() { return JudgeRefusal(::syscall(SYS_delete_module, nullptr, O_NONBLOCK)); }
Outcome Swapon() { return JudgeRefusal(::syscall(SYS_swapon, nullptr, 0)); }
Outcome Swapoff() { return JudgeRefusal(::syscall(SYS_swapoff, nullptr)); }
// Without the numbers that a kernel wants to see first, nothing can happen.
Outcome Reboot() { return JudgeRefusal(::syscall(SYS_reboot, 0, 0, 0, nullptr)); }
// Of a file that is not there; without a name it would be turned off.
Outcome Acct() { return JudgeRefusal(::syscall(SYS_acct, "/nonexistent/escapes")); }
// Reads.
Outcome Quota() {
  std::array<char, 1024> answer{};
  const int command = QCMD(Q_GETFMT, USRQUOTA);
  for (const std::string& name : NamesIn("/sys/class/block")) {
    const std::string disk = "/dev/" + name;
    if (::syscall(SYS_quotactl, command, disk.c_str(), 0, answer.data()) >= 0 || errno == ESRCH) {
      return Out("the quota of " + disk + " can be asked for");
    }
  }
  return HeldByError();
}

Outcome ClockAdjust() {
  timex now{};
  if (::adjtimex(&now) < 0) return HeldByError();
  now.modes = ADJ_MAXERROR;
  return JudgeRefusal(::adjtimex(&now));
}

// A level that no kernel takes.
Outcome ConsoleLevel() {
  constexpr int kSetConsoleLevel = 8;
  return JudgeRefusal(::syscall(SYS_syslog, kSetConsoleLevel, nullptr, 0));
}

Outcome Fanotify() {
  return JudgeOpened(::fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC),
                     "can hold up what others open");
}

#if defined(__x86_64__)
// The child makes a call that everybody may make, with the arguments of one that is closed.
[[noreturn]] void CallForTracer() {
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
  const long result =
      ::syscall(SYS_getppid, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0, 0, 0);
  ::_exit(result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES) ? 0 : 1);
}

// A tracer puts another number into it after it has begun.
Outcome PtraceRewrites() {
  const pid_t child = ::fork();
  if (child == 0) CallForTracer();
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return Held("no tracing");
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  constexpr int kInCall = SIGTRAP | 0x80;
  while (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0 &&
         ::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    user_regs_struct registers{};
    if (WSTOPSIG(status) != kInCall) continue;
    ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    if (registers.orig_rax != SYS_getppid) continue;
    registers.orig_rax = SYS_keyctl;
    ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
  }
  if (!WIFEXITED(status)) return Out("the traced process did not end");
  return WEXITSTATUS(status) == 0 ? Held("refused") : Out("a traced process made a closed call");
}
#endif

#if defined(__x86_64__)
Outcome ThirtyTwoBitCall() {
  constexpr long kGetpid = 20;  // of i386
  long result = kGetpid;
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result > 0 ? Out("32-bit system calls are open") : Held(std::strerror(-int(result)));
}

Outcome X32Call() {
  constexpr long kX32 = 0x40000000;
  return Judge(::syscall(kX32 | SYS_getpid), "x32 system calls are open");
}

Outcome PortPermission() { return Judge(::syscall(SYS_ioperm, 0x80, 1, 1), "has an I/O port"); }
Outcome PortLevel() { return Judge(::syscall(SYS_iopl, 3), "has all I/O ports"); }
#endif

// A terminal of our own, which is made the controlling one: nobody types on it.
int OwnTerminal() {
  ::setsid();
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return -1;
  std::array<char, 64> name{};
  if (::ptsname_r(terminal, name.data(), name.size()) != 0) return -1;
  return ::open(name.data(), O_RDWR | O_CLOEXEC);
}

Outcome TypeOnTerminal(unsigned long request) {
  const int terminal = OwnTerminal();
  if (terminal < 0) return Held(std::string("no terminal: ") + std::strerror(errno));
  const char letter = 'x';
  return Judge(::syscall(SYS_ioctl, terminal, request, &letter), "typed on a terminal");
}

Outcome Tiocsti() { return TypeOnTerminal(TIOCSTI); }
Outcome TiocstiHighBits() { return TypeOnTerminal(TIOCSTI | (1UL << 32)); }

Outcome Tioclinux(unsigned long high_bits) {
  const int terminal = OwnTerminal();
  if (terminal < 0) return Held(std::string("no terminal: ") + std::strerror(errno));
  char subcode = 7;  // TIOCL_GETMOUSEREPORTING: reads
  return JudgeRefusal(::syscall(SYS_ioctl, terminal, TIOCLINUX | high_bits, &subcode));
}

Outcome TioclinuxPlain() { return Tioclinux(0); }
Outcome TioclinuxHighBits() { return Tioclinux(1UL << 32); }

// --- Network ---

Outcome ConnectTo(const sockaddr* address, socklen_t size, int type, const std::string& what) {
  const int fd = ::socket(address->sa_family, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return HeldByError();
  return Judge(::connect(fd, address, size), what);
}

// `a` is the address, in the machine's order.
sockaddr_in Internet(uint32_t a, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(a);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

constexpr uint32_t kNowhere = 0xC0000201;  // 192.0.2.1, which is for documentation alone: RFC 5737
constexpr int kDiscard = 9;

int OutsidePort() { return ::atoi(Variable("ESCAPES_PORT").c_str()); }

Outcome TcpLoopback() {
  const sockaddr_in address = Internet(INADDR_LOOPBACK, OutsidePort());
  return ConnectTo(reinterpret_cast<const sockaddr*>(&address), sizeof(address), SOCK_STREAM,
                   "a connection to the loopback outside");
}

Outcome TcpFastOpen() {
  const sockaddr_in address = Internet(INADDR_LOOPBACK, OutsidePort());
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return Judge(::sendto(fd, "", 1, MSG_FASTOPEN, reinterpret_cast<const sockaddr*>(&address),
                        sizeof(address)),
               "sent to the loopback outside");
}

Outcome TcpMappedLoopback() {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<uint16_t>(OutsidePort()));
  address.sin6_addr.s6_addr[10] = 0xFF;
  address.sin6_addr.s6_addr[11] = 0xFF;
  address.sin6_addr.s6_addr[12] = 127;
  address.sin6_addr.s6_addr[15] = 1;
  return ConnectTo(reinterpret_cast<const sockaddr*>(&address), sizeof(address), SOCK_STREAM,
                   "a connection to the loopback outside");
}

Outcome TcpOutside() {
  const sockaddr_in address = Internet(kNowhere, kDiscard);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  return result != 0 && errno != EINPROGRESS ? HeldByError() : Out("has a way to other machines");
}

Outcome UdpOutside() {
  const sockaddr_in address = Internet(kNowhere, kDiscard);
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return HeldByError();
  }
  return Judge(::send(fd, "", 1, MSG_DONTWAIT), "sent to another machine");
}

Outcome Udp6Outside() {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(kDiscard);
  const std::array<uint8_t, 4> start = {0x20, 0x01, 0x0D, 0xB8};  // RFC 3849
  std::memcpy(address.sin6_addr.s6_addr, start.data(), start.size());
  return ConnectTo(reinterpret_cast<const sockaddr*>(&address), sizeof(address), SOCK_DGRAM,
                   "has a way to other machines");
}

Outcome SocketOf(int family, int type, int protocol) {
  return JudgeOpened(::socket(family, type | SOCK_CLOEXEC, protocol), "has such a socket");
}

Outcome RawSocket() { return SocketOf(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
Outcome PacketSocket() { return SocketOf(AF_PACKET, SOCK_DGRAM, 0); }
Outcome VsockSocket() { return SocketOf(AF_VSOCK, SOCK_STREAM, 0); }

// The kernel passes the upper half by.
Outcome VsockHighBits() {
  return Judge(::syscall(SYS_socket, AF_VSOCK | (1UL << 32), SOCK_STREAM, 0), "has such a socket");
}

Outcome CryptoSocket() { return SocketOf(AF_ALG, SOCK_SEQPACKET, 0); }

Outcome OtherSockets() {
  for (const int family : {AF_AX25, AF_APPLETALK, AF_X25, AF_KEY, AF_RDS, AF_LLC, AF_CAN, AF_TIPC,
                           AF_BLUETOOTH, AF_NFC, AF_KCM, AF_QIPCRTR, AF_SMC, AF_XDP}) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET}) {
      const int fd = ::socket(family, type | SOCK_CLOEXEC, 0);
      if (fd >= 0) return Out("has a socket of family " + std::to_string(family));
    }
  }
  return Held("no family is open");
}

// With a prefix that no kernel takes: refused before it is looked at, or after.
Outcome RouteAdd() {
  const int fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return HeldByError();
  struct {
    nlmsghdr head;
    rtmsg route;
  } request{};
  request.head.nlmsg_len = sizeof(request);
  request.head.nlmsg_type = RTM_NEWROUTE;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
  request.route.rtm_family = AF_INET;
  request.route.rtm_dst_len = 200;
  if (::send(fd, &request, sizeof(request), 0) < 0) return HeldByError();
  struct {
    nlmsghdr head;
    nlmsgerr error;
    std::array<char, 512> rest;
  } answer{};
  if (::recv(fd, &answer, sizeof(answer), 0) < 0) return HeldByError();
  errno = -answer.error.error;
  return JudgeRefusal(errno == 0 ? 0 : -1);
}

Outcome ConnectUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return Skipped("the path is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  return ConnectTo(reinterpret_cast<const sockaddr*>(&address), size, SOCK_STREAM,
                   "talks to a server outside");
}

Outcome HiddenSocket() { return ConnectUnix(Variable("ESCAPES_SOCKET")); }
Outcome HiddenSocketByRoot() { return ConnectUnix("/proc/1/root" + Variable("ESCAPES_SOCKET")); }
Outcome KnownSockets() {
  for (const char* path :
       {"/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private",
        "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/snapd.socket",
        "/run/user/0/bus", "/tmp/.X11-unix/X0"}) {
    if (ConnectUnix(path).kind == Outcome::Kind::kOut) return Out(std::string("talks to ") + path);
  }
  return Held("none answers");
}

Outcome AbstractSocket() {
  return ConnectUnix(std::string(1, '\0') + Variable("ESCAPES_ABSTRACT"));
}

// --- What the process is ---

// Those that were open at the start.
std::set<int>& FirstDescriptors() {
  static std::set<int> descriptors;
  return descriptors;
}

void NoteDescriptors() {
  for (const std::string& name : NamesIn("/proc/self/fd")) {
    FirstDescriptors().insert(::atoi(name.c_str()));
  }
  // The one of the folder itself is closed by now.
  std::erase_if(FirstDescriptors(), [](int fd) { return ::fcntl(fd, F_GETFD) < 0; });
}

Outcome LeakedDescriptors() {
  for (const int fd : FirstDescriptors()) {
    if (fd <= STDERR_FILENO) continue;
    std::array<char, 256> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (::readlink(link.c_str(), target.data(), target.size() - 1) < 0) target[0] = '?';
    return Out("descriptor " + std::to_string(fd) + " is open: " + target.data());
  }
  return Held("none");
}

std::string StatusField(const std::string& name) {
  const std::string text = ReadFile("/proc/self/status");
  const size_t at = text.find("\n" + name + ":\t");
  if (at == std::string::npos) return {};
  const size_t start = at + name.size() + 3;
  return text.substr(start, text.find('\n', start) - start);
}

Outcome Capabilities(const char* field) {
  const std::string set = StatusField(field);
  const bool none = !set.empty() && set.find_first_not_of('0') == std::string::npos;
  return none ? Held("none") : Out(std::string(field) + " is " + set);
}

Outcome CapEffective() { return Capabilities("CapEff"); }
Outcome CapPermitted() { return Capabilities("CapPrm"); }
Outcome CapInheritable() { return Capabilities("CapInh"); }
Outcome CapBounding() { return Capabilities("CapBnd"); }
Outcome CapAmbient() { return Capabilities("CapAmb"); }

Outcome Capset() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  data[0] = {1U << CAP_SYS_ADMIN, 1U << CAP_SYS_ADMIN, 0};
  return Judge(::syscall(SYS_capset, &head, data.data()), "has CAP_SYS_ADMIN");
}

Outcome AmbientCapability() {
  return Judge(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0),
               "has CAP_SYS_ADMIN for programs it starts");
}

Outcome NewPrivileges() {
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? Held("no_new_privs is set")
                                                       : Out("no_new_privs is not set");
}

Outcome NoFilter() {
  const std::string mode = StatusField("Seccomp");
  return mode == "2" ? Held("there is a filter") : Out("there is no filter: mode " + mode);
}

Outcome SetuidRoot() {
  if (::getuid() == 0 && ::geteuid() == 0) return Held("it is root of its namespace already");
  return Judge(::setresuid(0, 0, 0), "is root");
}

Outcome SetuidOther() {
  const uid_t other = ::getuid() + 1;
  return Judge(::setresuid(other, other, other), "is another user");
}

Outcome SetgidOther() {
  const gid_t other = ::getgid() + 1;
  return Judge(::setresgid(other, other, other), "is in another group");
}

Outcome Setgroups() {
  const gid_t group = 0;
  return Judge(::syscall(SYS_setgroups, 1, &group), "has other groups");
}

// --- Secrets ---

Outcome JudgeText(const std::string& text, const std::string& how) {
  return text.empty() ? Held(errno == 0 ? "it is empty" : std::strerror(errno)) : Out(how);
}

Outcome ReadSecret(const std::string& path) {
  errno = 0;
  return JudgeText(ReadFile(path), path + " was read");
}

Outcome SecretRead() { return ReadSecret(Secret()); }
Outcome SecretBySelfRoot() { return ReadSecret("/proc/self/root" + Secret()); }
Outcome SecretByFirstRoot() { return ReadSecret("/proc/1/root" + Secret()); }

Outcome SecretByProcessRoot() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return ReadSecret(OutsideProcess("root") + Secret());
}

Outcome ReadByLink(const std::string& path) {
  const Scratch own(Scratch::Kind::kNothing);
  if (::link(path.c_str(), own.path()) != 0) return HeldByError();
  return ReadSecret(own.path());
}

Outcome ReadByPathDescriptor(const std::string& path) {
  const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  return fd < 0 ? HeldByError() : ReadSecret("/proc/self/fd/" + std::to_string(fd));
}

Outcome ReadByMode(const std::string& path) {
  const mode_t was = StatOf(path).st_mode & 07777;
  if (::chmod(path.c_str(), was | 0400) != 0) return HeldByError();
  Outcome outcome = ReadSecret(path);
  ::chmod(path.c_str(), was);
  return outcome;
}

Outcome ReadByRename(const std::string& from, const std::string& to, const std::string& name) {
  if (::rename(from.c_str(), to.c_str()) != 0) return HeldByError();
  Outcome outcome = ReadSecret(to + name);
  ::rename(to.c_str(), from.c_str());
  return outcome;
}

Outcome SecretByLink() { return ReadByLink(Secret()); }
Outcome SecretByPathDescriptor() { return ReadByPathDescriptor(Secret()); }
Outcome SecretByMode() { return ReadByMode(Secret()); }

Outcome SecretByRenameOfParent() {
  const std::string parent = ParentOf(Secret());
  return ReadByRename(parent, parent + "-escapes", "/" + NameOf(Secret()));
}

// What is mounted upon a folder does not come with it when it is bound alone.
Outcome ReadByBind(const std::string& path) {
  const Scratch at(Scratch::Kind::kFolder);
  if (::mount(ParentOf(path).c_str(), at.path(), nullptr, MS_BIND, nullptr) != 0) {
    return HeldByError();
  }
  Outcome outcome = ReadSecret(std::string(at.path()) + "/" + NameOf(path));
  ::umount2(at.path(), kDetach);
  return outcome;
}

Outcome ReadByTree(const std::string& path) {
  const int tree = OpenTree(ParentOf(path));
  if (tree < 0) return HeldByError();
  const int fd = ::openat(tree, NameOf(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  return JudgeText(ReadFd(fd), "was read in a tree without mounts");
}

Outcome SecretByBind() { return ReadByBind(Secret()); }
Outcome SecretByTree() { return ReadByTree(Secret()); }
Outcome IgnoredRead() { return ReadSecret(Ignored()); }
Outcome IgnoredByLink() { return ReadByLink(Ignored()); }
Outcome IgnoredByPathDescriptor() { return ReadByPathDescriptor(Ignored()); }
Outcome IgnoredByMode() { return ReadByMode(Ignored()); }
Outcome IgnoredByBind() { return ReadByBind(Ignored()); }
Outcome IgnoredByTree() { return ReadByTree(Ignored()); }
Outcome IgnoredByRename() { return ReadByRename(Ignored(), InWorkspace("escapes-ignored"), ""); }

Outcome IgnoredByRenameOfParent() {
  const std::string parent = ParentOf(Ignored());
  return ReadByRename(parent, parent + "-escapes", "/" + NameOf(Ignored()));
}

Outcome IgnoredByProcess() {
  if (IsOurs(OutsidePid())) return Held("the number is one of ours");
  return ReadSecret(OutsideProcess("root") + Ignored());
}

Outcome TemporaryFolderOutside() {
  const std::string path = Variable("ESCAPES_TMP");
  return path.empty() ? Skipped("ESCAPES_TMP is not set") : ReadSecret(path);
}

// --- What runs code in the workspace ---

Outcome WriteInWorkspace(const char* relative) {
  if (!Exists(InWorkspace(relative))) return Skipped(std::string("there is no ") + relative);
  return OpenForWriting(InWorkspace(relative));
}

Outcome GitHook() { return CreateAt(InWorkspace(".git/hooks/escapes")); }
Outcome GitConfig() { return WriteInWorkspace(".git/config"); }
Outcome McpFile() { return WriteInWorkspace(".mcp.json"); }
Outcome EnvrcWrite() { return WriteInWorkspace(".envrc"); }
Outcome VscodeFile() { return CreateAt(InWorkspace(".vscode/escapes.json")); }

// Puts a new file in the place of that one.
Outcome ReplaceFile(const char* relative) {
  const std::string path = InWorkspace(relative);
  if (!Exists(path)) return Skipped(std::string("there is no ") + relative);
  const std::string text = ReadFile(path);
  const Scratch own(Scratch::Kind::kFile);
  const int result = ::rename(own.path(), path.c_str());
  if (result == 0) WriteFile(path, text);
  return Judge(result, path + " was replaced");
}

Outcome GitConfigReplace() { return ReplaceFile(".git/config"); }
Outcome EnvrcReplace() { return ReplaceFile(".envrc"); }

Outcome EnvrcBySymlink() {
  const std::string path = InWorkspace(".envrc");
  if (!Exists(path)) return Skipped("there is no .envrc");
  const std::string text = ReadFile(path);
  const Scratch own(Scratch::Kind::kNothing);
  if (::symlink("escapes-other", own.path()) != 0) return HeldByError();
  const int result = ::rename(own.path(), path.c_str());
  if (result == 0) {
    ::unlink(path.c_str());
    WriteFile(path, text);
  }
  return Judge(result, ".envrc is a symbolic link");
}

Outcome WriteByLink(const char* relative) {
  const Scratch own(Scratch::Kind::kNothing);
  if (::link(InWorkspace(relative).c_str(), own.path()) != 0) return HeldByError();
  return OpenForWriting(own.path());
}

Outcome EnvrcByLink() { return WriteByLink(".envrc"); }
Outcome GitConfigByLink() { return WriteByLink(".git/config"); }

Outcome GitConfigBySymlink() {
  const Scratch own(Scratch::Kind::kNothing);
  if (::symlink(".git/config", own.path()) != 0) return HeldByError();
  return OpenForWriting(own.path());
}

Outcome GitByDescriptor() {
  const int fd = ::open(InWorkspace(".git").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return HeldByError();
  const int made = ::openat(fd, "hooks/escapes", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) ::unlinkat(fd, "hooks/escapes", 0);
  return JudgeOpened(made, "made a hook");
}

Outcome GitMode() {
  const std::string path = InWorkspace(".git/config");
  return Judge(::chmod(path.c_str(), StatOf(path).st_mode & 07777), "chmod works in .git");
}

Outcome RenameAway(const std::string& path) {
  const std::string to = path + "-escapes";
  const int result = ::rename(path.c_str(), to.c_str());
  if (result == 0) ::rename(to.c_str(), path.c_str());
  return Judge(result, path + " was renamed");
}

Outcome GitRename() { return RenameAway(InWorkspace(".git")); }
Outcome VscodeRename() { return RenameAway(InWorkspace(".vscode")); }
Outcome WorkspaceRename() { return RenameAway(Variable("ESCAPES_WORKSPACE")); }

Outcome ExchangeFolder(const char* relative) {
  if (!Exists(InWorkspace(relative))) return Skipped(std::string("there is no ") + relative);
  const Scratch own(Scratch::Kind::kFolder);
  const auto exchange = [relative, &own] {
    return ::syscall(SYS_renameat2, AT_FDCWD, own.path(), AT_FDCWD, InWorkspace(relative).c_str(),
                     RENAME_EXCHANGE);
  };
  const long result = exchange();
  if (result == 0) exchange();
  return Judge(result, std::string(relative) + " was exchanged");
}

Outcome GitExchange() { return ExchangeFolder(".git"); }
Outcome VscodeExchange() { return ExchangeFolder(".vscode"); }

Outcome VscodeReplace() {
  const std::string path = InWorkspace(".vscode");
  if (!Exists(path)) return Skipped("there is no .vscode");
  const std::string kept = path + "-escapes";
  const Scratch own(Scratch::Kind::kFolder);
  // Without this it would not be empty, and no folder takes the place of one that is not.
  const bool away = ::rename(path.c_str(), kept.c_str()) == 0;
  const int result = ::rename(own.path(), path.c_str());
  const int error = errno;
  if (result == 0) ::rmdir(path.c_str());
  if (away) ::rename(kept.c_str(), path.c_str());
  errno = error;
  return Judge(result, "another folder is .vscode");
}

struct Escape {
  const char* name;
  Outcome (*run)();
};

constexpr Escape kEscapes[] = {
    {"open-write", OpenWrite},
    {"open-append", OpenAppend},
    {"open-create", OpenCreate},
    {"open-truncate", OpenTruncate},
    {"open-temporary", OpenTemporary},
    {"openat2-write", Openat2Write},
    {"creat", Creat},
    {"truncate", Truncate},
    {"rename", Rename},
    {"rename-exchange", RenameExchange},
    {"rename-out", RenameOut},
    {"link-outside", LinkOutside},
    {"link-in", LinkIn},
    {"link-out", LinkOut},
    {"link-of-descriptor", LinkOfDescriptor},
    {"link-of-empty-path", LinkOfEmptyPath},
    {"symlink", Symlink},
    {"write-through-symlink", WriteThroughSymlink},
    {"unlink", Unlink},
    {"mkdir", MakeFolder},
    {"rmdir", RemoveFolder},
    {"chmod", Chmod},
    {"fchmod", Fchmod},
    {"fchmodat", Fchmodat},
    {"fchmodat2", Fchmodat2},
    {"chown", Chown},
    {"fchown", Fchown},
    {"utimensat", Utimensat},
    {"futimens", Futimens},
    {"setxattr", Setxattr},
    {"fsetxattr", Fsetxattr},
    {"setxattrat", Setxattrat},
    {"file-flags", SetFileFlags},
    {"mkfifo", MakeFifo},
    {"mknod-disk", MakeDisk},
    {"mknod-memory", MakeMemoryDevice},
    {"bind-socket-outside", BindSocketOutside},
    {"write-etc-passwd", WriteEtcPasswd},
    {"write-home", WriteHome},
    {"write-shared-folders", WriteSharedFolders},
    {"open-by-handle", OpenByHandle},
    {"remount-root", RemountRoot},
    {"remount-git", RemountGit},
    {"remount-sysctl", RemountSysctl},
    {"mount-bind", MountBind},
    {"mount-tmpfs", MountTmpfs},
    {"mount-proc", MountProc},
    {"mount-cgroup", MountCgroup},
    {"umount-proc", UnmountProc},
    {"umount-git", UnmountGit},
    {"umount-secret", UnmountSecret},
    {"pivot-root", PivotRoot},
    {"chroot", Chroot},
    {"fsopen", Fsopen},
    {"fsmount", Fsmount},
    {"fspick", Fspick},
    {"move-mount", MoveMount},
    {"open-tree", CloneTree},
    {"open-tree-attr", CloneTreeWithAttributes},
    {"mount-setattr", MountSetattr},
    {"unshare-user", UnshareUser},
    {"unshare-mount", UnshareMount},
    {"unshare-net", UnshareNet},
    {"unshare-pid", UnsharePid},
    {"unshare-user-and-mount", UnshareUserAndMount},
    {"clone-user", CloneUser},
    {"clone-net", CloneNet},
    {"clone-user-high-bits", CloneUserHighBits},
    {"clone3-user", Clone3User},
    {"clone3-net", Clone3Net},
    {"setns-mount", SetnsMount},
    {"setns-net", SetnsNet},
    {"setns-pid", SetnsPid},
    {"setns-user", SetnsUser},
    {"setns-ipc", SetnsIpc},
    {"parent-user-namespace", ParentUserNamespace},
    {"parent-pid-namespace", ParentPidNamespace},
    {"uid-map", WriteUidMap},
    {"proc-self-root", WriteSelfRoot},
    {"proc-first-root", WriteFirstRoot},
    {"proc-outside-root", WriteProcessRoot},
    {"proc-outside-mem", ProcessMemory},
    {"proc-outside-environ", ProcessEnvironment},
    {"proc-outside-cwd", ProcessFolder},
    {"proc-outside-namespace", ProcessNamespace},
    {"sysctl-swappiness", Swappiness},
    {"sysctl-core-pattern", CorePattern},
    {"sysctl-modprobe", ModprobePath},
    {"sysctl-max-user-namespaces", MaxNamespaces},
    {"sysctl-legacy-tiocsti", LegacyTiocsti},
    {"binfmt-register", BinfmtRegister},
    {"sysrq-trigger", SysrqTrigger},
    {"irq-affinity", IrqAffinity},
    {"proc-kcore", Kcore},
    {"proc-kmsg", Kmsg},
    {"sys-huge-pages", HugePages},
    {"sys-uevent-helper", UeventHelper},
    {"sys-power-state", PowerState},
    {"sys-trace-marker", TraceMarker},
    {"cgroup-processes", CgroupProcesses},
    {"cgroup-release-agent", ReleaseAgent},
    {"dev-mem", DeviceMemory},
    {"dev-port", DevicePort},
    {"dev-kmsg", DeviceKmsg},
    {"dev-fuse", DeviceFuse},
    {"dev-kvm", DeviceKvm},
    {"dev-loop-control", DeviceLoop},
    {"dev-tun", DeviceTun},
    {"dev-uinput", DeviceInput},
    {"dev-vhost-net", DeviceVhost},
    {"dev-userfaultfd", DeviceUserfault},
    {"dev-console", DeviceConsole},
    {"dev-tty1", DeviceTerminal},
    {"controlling-terminal", ControllingTerminal},
    {"block-devices", BlockDevices},
    {"kill-outside", KillOutside},
    {"tgkill-outside", TgkillOutside},
    {"pidfd-open-outside", PidfdOpen},
    {"ptrace-outside", PtraceSeize},
    {"process-vm-writev-outside", ProcessVmWritev},
    {"priority-outside", Priority},
    {"limits-outside", Limits},
    {"shared-memory-outside", SharedMemory},
    {"io-uring", IoUring},
    {"bpf", Bpf},
    {"perf-event", PerfEvent},
    {"userfaultfd", Userfaultfd},
    {"keyring", Keyring},
    {"add-key", AddKey},
    {"request-key", RequestKey},
    {"kexec-load", KexecLoad},
    {"init-module", InitModule},
    {"finit-module", FinitModule},
    {"delete-module", DeleteModule},
    {"swapon", Swapon},
    {"swapoff", Swapoff},
    {"reboot", Reboot},
    {"acct", Acct},
    {"quotactl", Quota},
    {"adjtimex", ClockAdjust},
    {"syslog-console-level", ConsoleLevel},
    {"fanotify", Fanotify},
#if defined(__x86_64__)
    {"int80", ThirtyTwoBitCall},
    {"x32", X32Call},
    {"ioperm", PortPermission},
    {"iopl", PortLevel},
    {"ptrace-rewrites-a-call", PtraceRewrites},
#endif
    {"tiocsti", Tiocsti},
    {"tiocsti-high-bits", TiocstiHighBits},
    {"tioclinux", TioclinuxPlain},
    {"tioclinux-high-bits", TioclinuxHighBits},
    {"tcp-loopback", TcpLoopback},
    {"tcp-fast-open", TcpFastOpen},
    {"tcp-mapped-loopback", TcpMappedLoopback},
    {"tcp-outside", TcpOutside},
    {"udp-outside", UdpOutside},
    {"udp6-outside", Udp6Outside},
    {"raw-socket", RawSocket},
    {"packet-socket", PacketSocket},
    {"vsock-socket", VsockSocket},
    {"vsock-high-bits", VsockHighBits},
    {"crypto-socket", CryptoSocket},
    {"other-sockets", OtherSockets},
    {"netlink-route-add", RouteAdd},
    {"hidden-socket", HiddenSocket},
    {"hidden-socket-by-root", HiddenSocketByRoot},
    {"abstract-socket", AbstractSocket},
    {"known-sockets", KnownSockets},
    {"leaked-descriptors", LeakedDescriptors},
    {"cap-effective", CapEffective},
    {"cap-permitted", CapPermitted},
    {"cap-inheritable", CapInheritable},
    {"cap-bounding", CapBounding},
    {"cap-ambient", CapAmbient},
    {"capset", Capset},
    {"ambient-capability", AmbientCapability},
    {"new-privileges", NewPrivileges},
    {"no-filter", NoFilter},
    {"setuid-root", SetuidRoot},
    {"setuid-other", SetuidOther},
    {"setgid-other", SetgidOther},
    {"setgroups", Setgroups},
    {"secret-read", SecretRead},
    {"secret-by-self-root", SecretBySelfRoot},
    {"secret-by-first-root", SecretByFirstRoot},
    {"secret-by-outside-root", SecretByProcessRoot},
    {"secret-by-link", SecretByLink},
    {"secret-by-path-descriptor", SecretByPathDescriptor},
    {"secret-by-mode", SecretByMode},
    {"secret-by-rename-of-parent", SecretByRenameOfParent},
    {"secret-by-bind", SecretByBind},
    {"secret-by-tree", SecretByTree},
    {"ignored-read", IgnoredRead},
    {"ignored-by-link", IgnoredByLink},
    {"ignored-by-path-descriptor", IgnoredByPathDescriptor},
    {"ignored-by-mode", IgnoredByMode},
    {"ignored-by-bind", IgnoredByBind},
    {"ignored-by-tree", IgnoredByTree},
    {"ignored-by-rename", IgnoredByRename},
    {"ignored-by-rename-of-parent", IgnoredByRenameOfParent},
    {"ignored-by-outside-root", IgnoredByProcess},
    {"tmp-outside", TemporaryFolderOutside},
    {"git-hook", GitHook},
    {"git-config", GitConfig},
    {"git-config-replace", GitConfigReplace},
    {"git-config-by-link", GitConfigByLink},
    {"git-config-by-symlink", GitConfigBySymlink},
    {"git-by-descriptor", GitByDescriptor},
    {"git-mode", GitMode},
    {"git-rename", GitRename},
    {"git-exchange", GitExchange},
    {"workspace-rename", WorkspaceRename},
    {"vscode-file", VscodeFile},
    {"vscode-rename", VscodeRename},
    {"vscode-exchange", VscodeExchange},
    {"vscode-replace", VscodeReplace},
    {"envrc-write", EnvrcWrite},
    {"envrc-replace", EnvrcReplace},
    {"envrc-by-symlink", EnvrcBySymlink},
    {"envrc-by-link", EnvrcByLink},
    {"mcp-file", McpFile},
};

// SIGSYS is an answer of a filter; SIGSEGV is that of a kernel without 32-bit calls.
Outcome OfSignal(const Escape& escape, int number) {
  const bool refused =
      number == SIGSYS || (number == SIGSEGV && std::string_view(escape.name) == "int80");
  const std::string what = std::string("ended by ") + ::strsignal(number);
  return refused ? Held(what) : Out(what);
}

// In a process of its own, since what gets out changes what the process is.
Outcome Try(const Escape& escape) {
  constexpr unsigned int kSeconds = 20;
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return Out("no pipe is left");
  const pid_t pid = ::fork();
  if (pid < 0) return Out("no process is left");
  if (pid == 0) {
    ::alarm(kSeconds);
    const Outcome outcome = escape.run();
    const std::string text = static_cast<char>(outcome.kind) + outcome.what;
    const ssize_t size = ::write(ends[1], text.data(), text.size());
    ::_exit(size == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  const std::string text = ReadFd(ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return OfSignal(escape, WTERMSIG(status));
  if (text.empty()) return Out("it told nothing");
  return {static_cast<Outcome::Kind>(text[0]), text.substr(1)};
}

bool IsKnown(std::string_view name) {
  for (const Escape& escape : kEscapes) {
    if (name == escape.name) return true;
  }
  return false;
}

const char* Word(Outcome::Kind kind) {
  if (kind == Outcome::Kind::kHeld) return "held";
  return kind == Outcome::Kind::kOut ? "OUT" : "skipped";
}

// `names`: these alone; empty: all.
int TryAll(const std::set<std::string_view>& names) {
  int result = 0;
  for (const Escape& escape : kEscapes) {
    if (!names.empty() && names.count(escape.name) == 0) continue;
    const Outcome outcome = Try(escape);
    std::printf("%s %s: %s\n", escape.name, Word(outcome.kind), outcome.what.c_str());
    std::fflush(stdout);
    if (outcome.kind == Outcome::Kind::kOut) result = 1;
  }
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  NoteDescriptors();
  std::set<std::string_view> names;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--list") {
      for (const Escape& escape : kEscapes) std::printf("%s\n", escape.name);
      return 0;
    }
    if (!IsKnown(name)) {
      std::fprintf(stderr, "escapes: there is no \"%s\": see escapes --list\n", arguments[i]);
      return 2;
    }
    names.insert(name);
  }
  for (const char* name :
       {"ESCAPES_OUTSIDE", "ESCAPES_FOLDER", "ESCAPES_WORKSPACE", "ESCAPES_SECRET",
        "ESCAPES_IGNORED", "ESCAPES_SOCKET", "ESCAPES_ABSTRACT", "ESCAPES_PORT", "ESCAPES_PID"}) {
    if (::getenv(name) != nullptr) continue;
    std::fprintf(stderr, "escapes: set %s: the start of escapes.cc says to what\n", name);
    return 2;
  }
  return TryAll(names);
}
