"""Which programs an image surely lacks, and how a container runtime says that one is not there.

Only of images whose files are known: of busybox every word is, of other base images that nothing lies outside
the usual folders, and of images that are built from nothing or from `distroless` that they have no shell and
none of the usual tools. What another image holds is anybody's guess, so nothing is missed there.
"""

from __future__ import annotations

from .. import shell
from .built import has_shell
from .sources import find_image

_BUSYBOX_WORDS = frozenset(
    """
    [ [[ acpid add-shell addgroup adduser adjtimex ar arch arp arping ascii ash awk base32 base64 basename
    bc beep blkdiscard blkid blockdev bootchartd brctl bunzip2 busybox bzcat bzip2 cal cat chat chattr
    chgrp chmod chown chpasswd chpst chroot chrt chvt cksum clear cmp comm conspy cp cpio crc32 crond
    crontab cryptpw cttyhack cut date dc dd deallocvt delgroup deluser depmod devmem df dhcprelay diff
    dirname dmesg dnsd dnsdomainname dos2unix dpkg dpkg-deb du dumpkmap dumpleases echo ed egrep eject env
    envdir envuidgid ether-wake expand expr factor fakeidentd fallocate false fatattr fbset fbsplash
    fdflush fdformat fdisk fgconsole fgrep find findfs flock fold free freeramdisk fsck fsck.minix
    fsfreeze fstrim fsync ftpd ftpget ftpput fuser getconf getfattr getopt getty grep groups gunzip gzip
    halt hd hdparm head hexdump hexedit hostid hostname httpd hush hwclock i2cdetect i2cdump i2cget i2cset
    i2ctransfer id ifconfig ifdown ifenslave ifplugd ifup inetd init insmod install ionice iostat ip
    ipaddr ipcalc ipcrm ipcs iplink ipneigh iproute iprule iptunnel kbd_mode kill killall killall5 klogd
    last less link linux32 linux64 linuxrc ln loadfont loadkmap logger login logname logread losetup lpd
    lpq lpr ls lsattr lsmod lsof lspci lsscsi lsusb lzcat lzma lzop makedevs makemime man md5sum mdev mesg
    microcom mim mkdir mkdosfs mke2fs mkfifo mkfs.ext2 mkfs.minix mkfs.vfat mknod mkpasswd mkswap mktemp
    modinfo modprobe more mount mountpoint mpstat mt mv nameif nanddump nandwrite nbd-client nc netstat
    nice nl nmeter nohup nologin nproc nsenter nslookup ntpd nuke od openvt partprobe passwd paste patch
    pgrep pidof ping ping6 pipe_progress pivot_root pkill pmap popmaildir poweroff powertop printenv
    printf ps pscan pstree pwd pwdx raidautorun rdate rdev readahead readlink readprofile realpath reboot
    reformime remove-shell renice reset resize resume rev rm rmdir rmmod route rpm rpm2cpio rtcwake
    run-init run-parts runlevel runsv runsvdir rx script scriptreplay sed seedrng sendmail seq setarch
    setconsole setfattr setfont setkeycodes setlogcons setpriv setserial setsid setuidgid sh sha1sum
    sha256sum sha3sum sha512sum showkey shred shuf slattach sleep smemcap softlimit sort split ssl_client
    start-stop-daemon stat strings stty su sulogin sum sv svc svlogd svok swapoff swapon switch_root sync
    sysctl syslogd tac tail tar taskset tc tcpsvd tee telnet telnetd test tftp tftpd time timeout top
    touch tr traceroute traceroute6 tree true truncate ts tsort tty ttysize tunctl ubiattach ubidetach
    ubimkvol ubirename ubirmvol ubirsvol ubiupdatevol udhcpc udhcpc6 udhcpd udpsvd uevent umount uname
    unexpand uniq unix2dos unlink unlzma unshare unxz unzip uptime users usleep uudecode uuencode vconfig
    vi vlock volname w wall watch watchdog wc wget which who whoami whois xargs xxd xz xzcat yes zcat zcip
    """.split()
)


_SHELLS = frozenset(("bash", "dash", "zsh"))
_FOLDERS = frozenset(
    "/ /bin /dev /etc /home /lib /proc /root /sbin /sys /tmp /usr /usr/bin /usr/sbin /var".split()
)
"""What every image has and nobody can run."""


ABSENT, NOT_EXECUTABLE = "no such file or directory", "permission denied"


def is_missing(image: str, command: str) -> bool:
    """Whether an image surely has no such program: a word, or a path."""
    found = find_image(image)
    if found is None:
        return False
    name, built = shell.plain_name(command), found.facts.built
    if built is not None and not has_shell(built, image.rpartition("/")[2].partition(":")[2]):
        return name in _BUSYBOX_WORDS or name in _SHELLS
    if not found.facts.has_known_files:
        return False
    if name is None:
        return True
    return found[0] == "busybox" and name not in _BUSYBOX_WORDS


def missing_text(command: str) -> str:
    """How a container runtime says that a program is not there."""
    if command in _FOLDERS:
        return refused_text(command, NOT_EXECUTABLE)
    if "/" in command:
        return refused_text(command, f"stat {command}: {ABSENT}")
    return refused_text(command, "executable file not found in $PATH")


def refused_text(command: str, cause: str) -> str:
    """How it says why it does not start a program."""
    return f'unable to start container process: exec: "{command}": {cause}: unknown'
